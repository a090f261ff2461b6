/** Checks of a result format with hostile input, with metadata, and with one image after another. */
import assert from 'node:assert/strict';
import { asRgba, type Pixels } from '../domain/pixels';
import type { BlockName, EmbeddedBlocks } from '../formats/embedded-blocks';
import { asciiField, writeTiff } from '../formats/tiff';
import { photoPixels, randomNumbers, wideProfile, difference } from './images';
import { channelsOf, noise, ofEach, pixelsOf, type FormatCheck } from './tested-format';

const photo = photoPixels(200, 120);
/** The longest side that is tried, so that no check takes minutes. */
const LONG_PX = 16_383;
/** Bytes of text that no format can make much smaller. */
const TEXT_BYTES = 3000;

function randomText(): string {
  const random = randomNumbers(8);
  return Array.from({ length: TEXT_BYTES }, () => Math.floor(random() * 36).toString(36)).join('');
}

/** The blocks, and by how many bytes a file grows at least that contains one. */
const BLOCKS: Readonly<Record<BlockName, readonly [block: () => Uint8Array, growth: number]>> = {
  icc: [wideProfile, 20],
  exif: [() => writeTiff([asciiField(0x013b, randomText())]), TEXT_BYTES / 2],
  xmp: [
    () => Buffer.from(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- ${randomText()} --></x:xmpmeta>`),
    TEXT_BYTES / 2,
  ],
};

export const HOSTILE_FORMAT_CHECKS: readonly FormatCheck[] = [
  {
    name: 'thin, tiny, odd, grey, two-colour and fully transparent images work',
    run: ofEach(async ({ name, encode, decode }, format) => {
      const longest = Math.min(LONG_PX, format.maxSidePx);
      const sizes = [
        [1, 1],
        [1, longest],
        [longest, 1],
        [3, 5],
        [127, 65],
      ];
      const images: Pixels[] = sizes.flatMap(([width, height]) =>
        channelsOf(format).map((channels) => noise(width, height, channels, 3)),
      );
      images.push(pixelsOf(70, 50, 3, (i) => (Math.floor(i / 3) % 2) * 255));
      if (format.hasAlpha)
        for (const colour of [0, 255]) images.push(pixelsOf(70, 50, 4, (i) => (i % 4 === 3 ? 0 : colour)));
      for (const image of images) {
        const { width, height } = await decode(await encode(image), image);
        const what = `${name}: ${image.width} × ${image.height}, ${image.channels} channels`;
        assert.deepEqual([width, height], [image.width, image.height], what);
      }
    }),
  },
  {
    name: 'the metadata that it holds are in the file, and do not change the image',
    appliesTo: ({ holds = [] }) => holds.length > 0,
    run: ofEach(async ({ name, isExact, encode, decode }, format) => {
      const plain = await encode(photo);
      const whole: { -readonly [Name in keyof EmbeddedBlocks]: EmbeddedBlocks[Name] } = {};
      for (const block of format.holds ?? []) {
        const [make, growth] = BLOCKS[block];
        whole[block] = make();
        const file = await encode(photo, { metadata: { [block]: make() } });
        const grown = file.length - plain.length;
        assert.ok(grown >= growth, `${name}: ${block} adds ${grown} bytes, expected at least ${growth}`);
      }
      const decoded = await decode(await encode(photo, { metadata: whole }), photo);
      const off = difference(asRgba(photo), asRgba(decoded));
      const before = difference(asRgba(photo), asRgba(await decode(plain, photo)));
      assert.ok(isExact ? off === 0 : off < before + 2, `${name}: with metadata the difference is ${off}`);
    }),
  },
  {
    name: 'the same image gives the same bytes, whatever was encoded before, and is not changed',
    run: ofEach(async ({ name, encode }, format) => {
      for (const [width, height] of [
        [1, 1],
        [50, 33],
      ]) {
        for (const channels of channelsOf(format)) {
          const image = noise(width, height, channels, 9);
          const before = image.data.slice();
          const what = `${name}, ${width} × ${height}, ${channels} channels`;
          const first = Buffer.from(await encode(image));
          await encode(noise(64, 90, 3, 2), { level: 0.4 });
          assert.ok(first.equals(await encode(image)), `${what}: other bytes after another image`);
          format.releaseMemory?.(0);
          assert.ok(first.equals(await encode(image)), `${what}: other bytes after releaseMemory`);
          assert.deepEqual(image.data, before, `${what}: the pixels were changed`);
        }
      }
    }),
  },
  {
    name: 'images that are encoded and decoded at the same time do not mix',
    run: ofEach(async ({ name, encode, decode }) => {
      const images = [photo, noise(50, 33, 3, 4), noise(90, 64, 1, 5)];
      const alone: Uint8Array[] = [];
      for (const image of images) alone.push(await encode(image));
      const together = await Promise.all(images.map((image) => encode(image)));
      together.forEach((file, i) => assert.ok(Buffer.from(file).equals(alone[i]), `${name}: image ${i}`));
      const decoded = await Promise.all(together.map((file, i) => decode(file, images[i])));
      decoded.forEach(({ width }, i) => assert.equal(width, images[i].width, `${name}: image ${i}`));
    }),
  },
  {
    name: 'damaged bytes are refused, and the next file is not affected',
    run: ofEach(async ({ name, encode, decode }) => {
      const good = await encode(photo);
      const refuses = (bytes: Uint8Array, what: string) =>
        assert.rejects(
          () => decode(bytes, photo),
          (error) => !(error instanceof assert.AssertionError),
          `${name}: ${what} is decoded`,
        );
      await refuses(new Uint8Array(), 'an empty file');
      await refuses(noise(30, 30, 3, 1).data, 'noise');
      await refuses(good.subarray(0, 40), 'a file of 40 bytes');
      const random = randomNumbers(6);
      for (let i = 0; i < 40; i++) {
        const damaged = Buffer.from(good);
        damaged[Math.floor(random() * damaged.length)] ^= 1 << Math.floor(random() * 8);
        // Many formats cannot detect it; the process must survive it.
        await decode(damaged, photo).catch(() => undefined);
      }
      assert.equal((await decode(good, photo)).width, photo.width, `${name}: a good file afterwards`);
    }),
  },
];
