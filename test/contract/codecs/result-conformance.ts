/**
 * The conformance suite of result codecs: the requirements of the recipes, as a list of named checks. Every check throws an
 * AssertionError that says what was expected.
 */
import assert from 'node:assert/strict';
import type { Pixels } from '../../../src/compression/domain/pixels';
import { photoPixels } from '../../support/images';
import { difference, rgba } from './pictures';
import { codings, pixelsOf, type FormatCheck } from './result-codings';
import { HOSTILE_CHECKS } from './result-hostile-conformance';

const photo = photoPixels(200, 120);

export const FORMAT_CHECKS: readonly FormatCheck[] = [
  {
    name: 'an encoded image looks the same after decoding, in colour, in grey and with alpha',
    async run(codecs) {
      const grey = pixelsOf(50, 33, 1, (i) => (i * 2) % 251);
      const faded = {
        ...photo,
        channels: 4 as const,
        data: rgba(photo).data.map((v, i) => (i % 4 === 3 ? 255 - (i % 120) : v)),
      };
      for (const { name, codec, encode, isExact } of codings(codecs)) {
        for (const image of [photo, grey, faded]) {
          const decoded = await codec.decode(await encode(image, 90));
          assert.equal(decoded.channels, image.channels === 4 ? 4 : 3, name);
          const off = difference(rgba(image), rgba(decoded));
          assert.ok(isExact ? off === 0 : off < 9, `${name}, ${image.channels} channels: ${off}`);
        }
      }
    },
  },
  {
    name: 'AVIF in 4:2:0 has half the chroma resolution, in 4:4:4 all of it',
    async run({ avif }) {
      const stripes: Pixels = { width: 64, height: 64, channels: 3, data: new Uint8Array(64 * 64 * 3) };
      for (let i = 0; i < 64 * 64; i++) stripes.data.set(i % 2 ? [230, 20, 20] : [20, 20, 230], i * 3);
      const loss = async (chroma: '4:2:0' | '4:4:4') => {
        const encoded = await avif.encode(stripes, { quality: 95, chroma, effort: 1 });
        return difference(rgba(stripes), rgba(await avif.decode(encoded)));
      };
      assert.ok((await loss('4:2:0')) > 40);
      assert.ok((await loss('4:4:4')) < 15);
    },
  },
  {
    name: 'a higher quality loses less and costs more',
    async run(codecs) {
      const steps = (name: string) => (name === 'WebP near-lossless' ? [20, 40, 60] : [30, 60, 80, 95]);
      for (const { name, codec, encode } of codings(codecs)) {
        if (name === 'WebP lossless') continue;
        let last = { loss: Infinity, size: 0 };
        for (const quality of steps(name)) {
          const encoded = await encode(photo, quality);
          const loss = difference(rgba(photo), rgba(await codec.decode(encoded)));
          assert.ok(loss < last.loss && encoded.length > last.size, `${name} at quality ${quality}`);
          last = { loss, size: encoded.length };
        }
      }
    },
  },
  {
    name: 'alpha is exact in WebP unless it is near-lossless, and close otherwise',
    async run(codecs) {
      const image = pixelsOf(64, 48, 4, (i) => (i % 4 === 3 ? (i >> 2) % 256 : (i * 5) % 200));
      const alphaOf = ({ data }: { data: Uint8Array }) => data.filter((_, i) => i % 4 === 3);
      for (const { name, codec, encode } of codings(codecs)) {
        const decoded = await codec.decode(await encode(image, 90));
        const limit = codec === codecs.avif ? 60 : name === 'WebP near-lossless' ? 4 : 0;
        const [before, after] = [alphaOf(image), alphaOf(rgba(decoded))];
        const worst = before.reduce((most, value, i) => Math.max(most, Math.abs(value - after[i])), 0);
        assert.ok(worst <= limit, `${name}: alpha is off by ${worst}`);
      }
    },
  },
  ...HOSTILE_CHECKS,
];
