/** Requirements of the ports to AVIF and WebP codecs that the conformance kit, which knows formats only, does not check. */
import assert from 'node:assert/strict';
import sharp from 'sharp';
import type { AvifCodec, WebpCodec } from '../../../src/compression/application/result-codecs.port';
import type { Pixels } from '../../../src/compression/domain/pixels';
import type { EmbeddedBlocks } from '../../../src/compression/formats/embedded-blocks';
import {
  SharpAvifCodec,
  SharpWebpCodec,
} from '../../../src/compression/infrastructure/codecs/native/sharp-result.codecs';
import {
  SquooshAvifCodec,
  SquooshWebpCodec,
  loadSquooshResultModules,
} from '../../../src/compression/infrastructure/codecs/squoosh/squoosh-result.codecs';
import { adobeRgb } from '../../support/icc-profiles';
import { difference, noise, photoPixels, pixelsOf } from '../../support/images';

const load = () => loadSquooshResultModules();
const engines = {
  native: { avif: new SharpAvifCodec(), webp: new SharpWebpCodec() },
  squoosh: { avif: new SquooshAvifCodec(load), webp: new SquooshWebpCodec(load) },
};
const photo = photoPixels(200, 120);
const EXIF = Buffer.from('49492a0008000000010098820200050000001a000000000000004c204100', 'hex');
const XMP = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- odd --></x:xmpmeta>');

/** The ways to encode. */
function codings({ avif, webp }: { readonly avif: AvifCodec; readonly webp: WebpCodec }) {
  return [
    ...(['4:2:0', '4:4:4'] as const).map((chroma) => ({
      codec: avif,
      label: 'AVIF',
      maxSidePx: 16_384,
      encode: (pixels: Pixels, metadata: EmbeddedBlocks = {}, quality = 80, effort = 1) =>
        avif.encode(pixels, { quality, chroma, effort, metadata }),
    })),
    ...(['lossy', 'lossless'] as const).map((mode) => ({
      codec: webp,
      label: 'WebP',
      maxSidePx: 16_383,
      encode: (pixels: Pixels, metadata: EmbeddedBlocks = {}, quality = 80, effort = 2) =>
        webp.encode(pixels, { mode, quality, effort, metadata }),
    })),
  ];
}

describe.each(Object.entries(engines))('the engine %s', (_, codecs) => {
  it('writes AVIF in 4:2:0 with half the chroma resolution, in 4:4:4 with all of it', async () => {
    const stripes = pixelsOf(64, 64, 3, (i) => [20, 20, 230, 230, 20, 20][i % 6]);
    const loss = async (chroma: '4:2:0' | '4:4:4') => {
      const encoded = await codecs.avif.encode(stripes, { quality: 95, chroma, effort: 1 });
      return difference(stripes, await codecs.avif.decode(encoded));
    };
    expect(await loss('4:2:0')).toBeGreaterThan(40);
    expect(await loss('4:4:4')).toBeLessThan(15);
  });

  it.each([
    ['lossy', 0],
    ['lossless', 0],
  ] as const)('keeps the alpha of WebP, %s, within %i', async (mode, most) => {
    const image = pixelsOf(64, 48, 4, (i) => (i % 4 === 3 ? (i >> 2) % 256 : (i * 5) % 200));
    const encoded = await codecs.webp.encode(image, { mode, quality: 90, effort: 2 });
    const { data } = await codecs.webp.decode(encoded);
    const worst = data.reduce(
      (sum, value, i) => (i % 4 === 3 ? Math.max(sum, Math.abs(value - image.data[i])) : sum),
      0,
    );
    expect(worst).toBeLessThanOrEqual(most);
  });

  it('refuses images that the format cannot hold and options out of range with a RangeError', async () => {
    for (const { encode, label, maxSidePx } of codings(codecs)) {
      for (const [width, height] of [
        [maxSidePx + 1, 1],
        [1, maxSidePx + 1],
      ])
        await assert.rejects(() => encode(pixelsOf(width, height, 3, () => 9)), {
          name: 'RangeError',
          message: `${label} holds at most ${maxSidePx} px a side; this image has ${width}×${height} px.`,
        });
      for (const quality of [0, 101, 50.5, NaN])
        await assert.rejects(() => encode(photo, {}, quality), RangeError, `quality ${quality}`);
      for (const effort of [-1, 10, 1.5])
        await assert.rejects(() => encode(photo, {}, 50, effort), RangeError, `effort ${effort}`);
    }
  });

  it('writes metadata that libvips reads as they were', async () => {
    const icc = Buffer.from(adobeRgb());
    for (const { codec, encode } of codings(codecs)) {
      for (const image of [photo, noise(50, 33, 4, 5), pixelsOf(40, 40, 1, (i) => i % 256)]) {
        const plain = await codec.decode(await encode(image));
        for (const metadata of [{ icc, exif: EXIF, xmp: XMP }, { icc }, { exif: EXIF }, { xmp: XMP }, {}]) {
          const file = await encode(image, metadata);
          assert.equal(difference(plain, await codec.decode(file)), 0);
          const read = await sharp(file).metadata();
          assert.deepEqual(read.icc, 'icc' in metadata ? icc : undefined);
          assert.deepEqual(withoutPrefix(read.exif), 'exif' in metadata ? EXIF : undefined);
          assert.deepEqual(read.xmp, 'xmp' in metadata ? XMP : undefined);
        }
      }
    }
  });
});

/** libvips adds the prefix of JPEG to EXIF. */
function withoutPrefix(exif: Buffer | undefined): Buffer | undefined {
  return exif?.subarray(0, 6).toString('latin1') === 'Exif\0\0' ? exif.subarray(6) : exif;
}
