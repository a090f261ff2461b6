/** Requirements for result codecs on hostile input, and on the container: limits, metadata, isolation. */
import assert from 'node:assert/strict';
import sharp from 'sharp';
import type { Pixels } from '../../../src/compression/domain/pixels';
import { photoPixels } from '../../support/images';
import { difference, rgba } from './pictures';
import { codings, noise, pixelsOf, type FormatCheck } from './result-codings';

const photo = photoPixels(200, 120);
/** Sizes that the format's limits, odd rows and thin images make hard. */
const HOSTILE_SIZES = [
  [1, 1],
  [1, 16_383],
  [16_383, 1],
  [3, 5],
  [127, 65],
] as const;

const EXIF = Buffer.from('49492a0008000000010098820200050000001a000000000000004c204100', 'hex');
const XMP = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- odd --></x:xmpmeta>');

/** libvips, which is independent of the code that writes the metadata, makes and reads them. */
async function rgbProfile(): Promise<Buffer> {
  const jpeg = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#888' } })
    .withIccProfile('p3')
    .jpeg()
    .toBuffer();
  const { icc } = await sharp(jpeg).metadata();
  assert.ok(icc);
  return icc;
}

export const HOSTILE_CHECKS: readonly FormatCheck[] = [
  {
    name: 'thin, tiny, odd, grey, two-colour and fully transparent images work',
    async run(codecs) {
      for (const { name, codec, encode } of codings(codecs)) {
        const works = async (image: Pixels, what: string) => {
          const decoded = await codec.decode(await encode(image, 80, undefined, 0));
          assert.deepEqual([decoded.width, decoded.height], [image.width, image.height], `${name}, ${what}`);
        };
        for (const [width, height] of HOSTILE_SIZES) {
          for (const channels of [1, 3, 4] as const)
            await works(noise(width, height, channels, 3), `${width}×${height}, ${channels} channels`);
        }
        await works(
          pixelsOf(70, 50, 3, (i) => (Math.floor(i / 3) % 2) * 255),
          'two colours',
        );
        await works(
          pixelsOf(70, 50, 4, () => 0),
          'fully transparent',
        );
        await works(
          pixelsOf(70, 50, 4, (i) => (i % 4 === 3 ? 0 : 255)),
          'fully transparent white',
        );
      }
    },
  },
  {
    name: 'an image that the format cannot hold is a RangeError, in both directions',
    async run(codecs) {
      for (const { name, codec, encode } of codings(codecs)) {
        const tooLong = codec === codecs.webp ? 16_384 : 16_385;
        for (const image of [pixelsOf(tooLong, 1, 3, () => 9), pixelsOf(1, tooLong, 3, () => 9)])
          await assert.rejects(() => encode(image), RangeError, name);
      }
    },
  },
  {
    name: 'options out of range are RangeErrors',
    async run(codecs) {
      for (const { name, encode } of codings(codecs)) {
        for (const quality of [0, 101, 50.5, NaN])
          await assert.rejects(() => encode(photo, quality), RangeError, `${name}, quality ${quality}`);
        for (const effort of [-1, 10, 1.5])
          await assert.rejects(
            () => encode(photo, 50, undefined, effort),
            RangeError,
            `${name}, effort ${effort}`,
          );
      }
    },
  },
  {
    name: 'metadata come out as they went in, and do not change the pixels',
    async run(codecs) {
      const icc = await rgbProfile();
      const faded = noise(50, 33, 4, 5);
      for (const { name, codec, encode } of codings(codecs)) {
        for (const image of [photo, faded, pixelsOf(40, 40, 1, (i) => i % 256)]) {
          const plain = await codec.decode(await encode(image));
          for (const metadata of [{ icc, exif: EXIF, xmp: XMP }, { icc }, { exif: EXIF }, { xmp: XMP }, {}]) {
            const file = await encode(image, 80, metadata);
            const what = `${name}, ${image.channels} channels, ${Object.keys(metadata).join()}`;
            assert.equal(difference(rgba(plain), rgba(await codec.decode(file))), 0, what);
            const read = await sharp(file).metadata();
            assert.deepEqual(read.icc, 'icc' in metadata ? icc : undefined, what);
            assert.deepEqual(withoutPrefix(read.exif), 'exif' in metadata ? EXIF : undefined, what);
            assert.deepEqual(read.xmp, 'xmp' in metadata ? XMP : undefined, what);
          }
        }
      }
    },
  },
  {
    name: 'the same input gives the same bytes, whatever was encoded before, and is not changed',
    async run(codecs) {
      for (const { name, encode } of codings(codecs)) {
        for (const [width, height] of [
          [1, 1],
          [50, 33],
        ]) {
          for (const channels of [1, 3, 4] as const) {
            const image = noise(width, height, channels, 9);
            const before = image.data.slice();
            const first = Buffer.from(await encode(image));
            await encode(noise(64, 90, 4, 2), 40);
            assert.deepEqual(Buffer.from(await encode(image)), first, `${name}, ${channels} channels`);
            assert.deepEqual(image.data, before);
          }
        }
      }
    },
  },
  {
    name: 'a file that cannot be decoded does not affect the next one',
    async run(codecs) {
      for (const { name, codec, encode } of codings(codecs)) {
        const good = await encode(photo);
        await assert.rejects(() => codec.decode(noise(30, 30, 3, 1).data), name);
        await assert.rejects(() => codec.decode(good.subarray(0, 40)), name);
        assert.equal((await codec.decode(good)).width, photo.width);
      }
    },
  },
];

/** libvips adds the prefix of JPEG to EXIF. */
function withoutPrefix(exif: Buffer | undefined): Buffer | undefined {
  return exif?.subarray(0, 6).toString('latin1') === 'Exif\0\0' ? exif.subarray(6) : exif;
}
