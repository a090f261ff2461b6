/** The checks of a result format. `ics codec test` runs these checks (docs/adding-a-codec.md). */
import assert from 'node:assert/strict';
import { asRgba } from '../domain/pixels';
import { photoPixels, difference } from './images';
import { HOSTILE_FORMAT_CHECKS } from './format-hostile-checks';
import { ofEach, pixelsOf, type FormatCheck, type TestedFormat } from './tested-format';

const photo = photoPixels(200, 120);
const grey = pixelsOf(50, 33, 1, (i) => (i * 2) % 251);
const faded = {
  ...photo,
  channels: 4 as const,
  data: asRgba(photo).data.map((v, i) => (i % 4 === 3 ? 255 - (i % 120) : v)),
};
/** Largest root-mean-square difference of a lossy file at a high quality, of 255. */
const CLOSE = 9;

const FORMAT_CHECKS: readonly FormatCheck[] = [
  {
    name: 'an encoded image looks the same after decoding, in colour, in grey and with alpha',
    run: ofEach(async ({ name, isExact, encode, decode }, format) => {
      for (const image of format.hasAlpha ? [photo, grey, faded] : [photo, grey]) {
        const decoded = await decode(await encode(image, { level: 0.9 }), image);
        const off = difference(asRgba(image), asRgba(decoded));
        assert.ok(
          isExact ? off === 0 : off < CLOSE,
          `${name}, ${image.channels} channels: the difference is ${off.toFixed(2)} of 255`,
        );
      }
    }),
  },
  {
    name: 'a higher quality loses less and costs more',
    appliesTo: ({ lossy }) => lossy.length > 0,
    run: ofEach(async ({ name, isExact, encode, decode }) => {
      if (isExact) return;
      let last = { loss: Infinity, size: 0 };
      for (const level of [0.2, 0.5, 0.8, 0.97]) {
        const encoded = await encode(photo, { level });
        const loss = difference(asRgba(photo), asRgba(await decode(encoded, photo)));
        assert.ok(loss < last.loss, `${name}, at ${level} of the range: loses ${loss}, before ${last.loss}`);
        assert.ok(encoded.length > last.size, `${name}, at ${level} of the range: takes fewer bytes`);
        last = { loss, size: encoded.length };
      }
    }),
  },
  {
    name: 'alpha is exact without loss, and close with loss',
    appliesTo: ({ hasAlpha }) => hasAlpha,
    run: ofEach(async ({ name, isExact, encode, decode }) => {
      const image = pixelsOf(64, 48, 4, (i) => (i % 4 === 3 ? (i >> 2) % 256 : (i * 5) % 200));
      const alphaOf = ({ data }: { data: Uint8Array }) => data.filter((_, i) => i % 4 === 3);
      const decoded = await decode(await encode(image, { level: 0.9 }), image);
      const [before, after] = [alphaOf(image), alphaOf(asRgba(decoded))];
      const worst = before.reduce((most, value, i) => Math.max(most, Math.abs(value - after[i])), 0);
      assert.ok(worst <= (isExact ? 0 : 60), `${name}: alpha is off by ${worst} of 255`);
    }),
  },
  {
    name: 'a file begins with a signature, and is decoded beside a larger image, for comparisons',
    appliesTo: ({ formatOf }) => formatOf !== undefined,
    run: ofEach(async ({ name, encode }, format) => {
      const larger = photoPixels(260, 200);
      const file = await encode(photo);
      assert.equal(format.formatOf?.(file), format.name, `${name}: the format by the signatures`);
      const decoded = await format.read?.(file, larger);
      assert.deepEqual([decoded?.width, decoded?.height], [photo.width, photo.height], name);
    }),
  },
  ...HOSTILE_FORMAT_CHECKS,
];

/** Returns the checks of what this format has. */
export function checksOf(format: TestedFormat): readonly FormatCheck[] {
  return FORMAT_CHECKS.filter(({ appliesTo }) => appliesTo?.(format) ?? true);
}
