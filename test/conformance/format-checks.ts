/** Requirements for a result format, of this repository or of a package. */
import assert from 'node:assert/strict';
import type { ImageFacts, ResultFormat } from '../../src/compression/application/result-format.port';
import { asRgba, type Pixels } from '../../src/compression/domain/pixels';
import type { BlockName, EmbeddedBlocks } from '../../src/compression/formats/embedded-blocks';
import { adobeRgb } from '../support/icc-profiles';
import { difference, noise, photoPixels, pixelsOf, randomNumbers } from '../support/images';
import { tiffBlock } from '../support/tiff-block';
import { equal, sizeOf, type Checks } from './checks';

interface Coding {
  readonly name: string;
  readonly isExact: boolean;
  /** @param level share of the range of qualities, 0..1 */
  readonly encode: (
    pixels: Pixels,
    how?: { readonly level?: number; readonly metadata?: EmbeddedBlocks },
  ) => Promise<Uint8Array>;
}

export function factsOf({ width, height }: Pixels): ImageFacts {
  return { effort: 'fast', pixelCount: width * height, isPhoto: true, density: 1, targetScore: 0.9914 };
}

export function codingsOf({ encodeLosslessly, lossy }: ResultFormat) {
  const codings = lossy.map((coding): Coding => {
    const { lowest, highest } = coding.range(1);
    return {
      name: `with loss, ${coding.chroma}`,
      isExact: false,
      encode: (pixels, { level = 0.8, metadata = {} } = {}) => {
        const step = Math.round(lowest + level * (highest - lowest));
        const quality = coding.stepQuality?.(step) ?? step;
        return coding.encode(pixels, { quality, purpose: 'delivery', image: factsOf(pixels), metadata });
      },
    };
  });
  if (!encodeLosslessly) return codings;
  const encode: Coding['encode'] = (pixels, { metadata = {} } = {}) =>
    encodeLosslessly(pixels, { effort: 'fast', metadata });
  return [...codings, { name: 'without loss', isExact: true, encode }];
}

const photo = photoPixels(200, 120);
const grey = pixelsOf(50, 33, 1, (i) => (i * 2) % 251);
const faded = pixelsOf(200, 120, 4, (i) => (i % 4 === 3 ? 255 - (i % 120) : asRgba(photo).data[i]));
const channelsOf = ({ hasAlpha }: ResultFormat) => (hasAlpha ? ([1, 3, 4] as const) : ([1, 3] as const));
/** Largest root-mean-square difference of a lossy file at a high quality, of 255. */
export const CLOSE = 9;
const LONG_PX = 16_383;

/** Bytes of text that no format can make much smaller. */
const TEXT_BYTES = 3000;
const letter = randomNumbers(8);
const text = Array.from({ length: TEXT_BYTES }, () => Math.floor(letter() * 36).toString(36)).join('');
/** The blocks, and by how many bytes a file grows at least that contains one. */
const BLOCKS: Readonly<Record<BlockName, readonly [block: Uint8Array, growth: number]>> = {
  icc: [adobeRgb(), 20],
  exif: [tiffBlock(true, [{ tag: 0x013b, ascii: text }]), TEXT_BYTES / 2],
  xmp: [Buffer.from(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- ${text} --></x:xmpmeta>`), TEXT_BYTES / 2],
};

type CodingCheck = (coding: Coding, format: ResultFormat) => Promise<void>;

/** Requirements for each coding of a format; some hold for every format without the feature that they are about. */
const CODING_CHECKS: Readonly<Record<string, CodingCheck>> = {
  'an encoded image looks the same after decoding, in colour, in grey and with alpha': async (
    { name, isExact, encode },
    format,
  ) => {
    for (const image of format.hasAlpha ? [photo, grey, faded] : [photo, grey]) {
      const off = difference(image, await format.decode(await encode(image, { level: 0.9 }), image));
      assert.ok(
        isExact ? off === 0 : off < CLOSE,
        `${name}, ${image.channels} channels: the difference is ${off.toFixed(2)} of 255`,
      );
    }
  },
  'a higher quality loses less and costs more': async ({ name, isExact, encode }, format) => {
    if (isExact) return;
    let last = { loss: Infinity, size: 0 };
    for (const level of [0.2, 0.5, 0.8, 0.97]) {
      const encoded = await encode(photo, { level });
      const loss = difference(photo, await format.decode(encoded, photo));
      assert.ok(loss < last.loss, `${name}, at ${level} of the range: loses ${loss}, before ${last.loss}`);
      assert.ok(encoded.length > last.size, `${name}, at ${level} of the range: takes fewer bytes`);
      last = { loss, size: encoded.length };
    }
  },
  'alpha is exact without loss, and close with loss': async ({ name, isExact, encode }, format) => {
    if (!format.hasAlpha) return;
    const image = pixelsOf(64, 48, 4, (i) => (i % 4 === 3 ? (i >> 2) % 256 : (i * 5) % 200));
    const { data } = asRgba(await format.decode(await encode(image, { level: 0.9 }), image));
    const worst = image.data.reduce(
      (most, value, i) => (i % 4 === 3 ? Math.max(most, Math.abs(value - data[i])) : most),
      0,
    );
    assert.ok(worst <= (isExact ? 0 : 60), `${name}: alpha is off by ${worst} of 255`);
  },
  'thin, tiny, odd, grey, two-colour and fully transparent images work': async ({ name, encode }, format) => {
    const longest = Math.min(LONG_PX, format.maxSidePx);
    const images = [
      [1, 1],
      [1, longest],
      [longest, 1],
      [3, 5],
      [127, 65],
    ].flatMap(([width, height]) => channelsOf(format).map((channels) => noise(width, height, channels, 3)));
    images.push(pixelsOf(70, 50, 3, (i) => (Math.floor(i / 3) % 2) * 255));
    if (format.hasAlpha)
      for (const colour of [0, 255]) images.push(pixelsOf(70, 50, 4, (i) => (i % 4 === 3 ? 0 : colour)));
    for (const image of images) {
      const decoded = await format.decode(await encode(image), image);
      const what = `${name}: ${image.width} × ${image.height}, ${image.channels} channels`;
      assert.deepEqual(sizeOf(decoded), sizeOf(image), what);
    }
  },
  'the metadata that it holds are in the file, and do not change the image': async (
    { name, isExact, encode },
    format,
  ) => {
    const plain = await encode(photo);
    const { holds = [] } = format;
    for (const block of holds) {
      const [bytes, growth] = BLOCKS[block];
      const grown = (await encode(photo, { metadata: { [block]: bytes } })).length - plain.length;
      assert.ok(grown >= growth, `${name}: ${block} adds ${grown} bytes, expected at least ${growth}`);
    }
    const whole = Object.fromEntries(holds.map((block) => [block, BLOCKS[block][0]]));
    const off = difference(photo, await format.decode(await encode(photo, { metadata: whole }), photo));
    const before = difference(photo, await format.decode(plain, photo));
    assert.ok(isExact ? off === 0 : off < before + 2, `${name}: with metadata the difference is ${off}`);
  },
  'the same image gives the same bytes, whatever was encoded before, and is not changed': async (
    { name, encode },
    format,
  ) => {
    for (const [width, height] of [
      [1, 1],
      [50, 33],
    ]) {
      for (const channels of channelsOf(format)) {
        const image = noise(width, height, channels, 9);
        const before = image.data.slice();
        const what = `${name}, ${width} × ${height}, ${channels} channels`;
        const first = await encode(image);
        await encode(noise(64, 90, 3, 2), { level: 0.4 });
        equal(await encode(image), first, `${what}: other bytes after another image`);
        format.releaseMemory?.(0);
        equal(await encode(image), first, `${what}: other bytes after releaseMemory`);
        equal(image.data, before, `${what}: the pixels were changed`);
      }
    }
  },
  'images that are encoded and decoded at the same time do not mix': async ({ name, encode }, format) => {
    const images = [photo, noise(50, 33, 3, 4), noise(90, 64, 1, 5)];
    const alone: Uint8Array[] = [];
    for (const image of images) alone.push(await encode(image));
    const together = await Promise.all(images.map((image) => encode(image)));
    together.forEach((file, i) => equal(file, alone[i], `${name}: image ${i}`));
    const decoded = await Promise.all(together.map((file, i) => format.decode(file, images[i])));
    assert.deepEqual(decoded.map(sizeOf), images.map(sizeOf), name);
  },
  'damaged bytes are refused, and the next file is decoded': async ({ name, encode }, format) => {
    const good = await encode(photo);
    for (const [what, bytes] of [
      ['an empty file', new Uint8Array()],
      ['noise', noise(30, 30, 3, 1).data],
      ['a file of 40 bytes', good.subarray(0, 40)],
    ] as const)
      await assert.rejects(() => format.decode(bytes, photo), `${name}: ${what} is decoded`);
    const random = randomNumbers(6);
    for (let i = 0; i < 40; i++) {
      const damaged = Buffer.from(good);
      damaged[Math.floor(random() * damaged.length)] ^= 1 << Math.floor(random() * 8);
      // Many formats cannot detect it; the process must survive it.
      await format.decode(damaged, photo).catch(() => undefined);
    }
    assert.deepEqual(sizeOf(await format.decode(good, photo)), sizeOf(photo), `${name}: afterwards`);
  },
};

export const FORMAT_CHECKS: Checks<ResultFormat> = Object.fromEntries(
  Object.entries(CODING_CHECKS).map(([sentence, check]) => [
    sentence,
    async (format: ResultFormat) => {
      for (const coding of codingsOf(format)) await check(coding, format);
    },
  ]),
);
