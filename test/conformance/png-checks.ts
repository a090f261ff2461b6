/** Requirements for the PNG codec of an engine. pngjs decodes independently. */
import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import type { CodecEngine } from '../../src/compression/application/codecs.port';
import { colourCount, toRgba } from '../../src/compression/domain/palette/indexed-image';
import { asRgba } from '../../src/compression/domain/pixels';
import { pngOfPixels } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { readPngStructure } from '../../src/compression/formats/png/png-structure';
import { adobeRgb } from '../support/icc-profiles';
import { decodeIndependently, difference, graphicPng, noise, photoPixels, turned } from '../support/images';
import { gamaChunk, iccpChunk } from '../file-kinds/png-parts';
import { pngOfKind, type PngKind } from '../support/png-types';
import { equal, ORIENTATIONS, refuses, SIZES, sizeOf, staySame, type Checks, type Steps } from './checks';

const graphic = graphicPng(90, 50);
const COLOUR_TYPES = [{}, { colorType: 2 }, { colorType: 0 }, { colorType: 4 }];
const EACH_TYPE = COLOUR_TYPES.map((options) => graphicPng(90, 50, options));

function png16(colourType: PngKind['colourType'], sample: (x: number, y: number, channel: number) => number) {
  const kind = { colourType, bitDepth: 16 } as const;
  return (width: number, height: number) => pngOfKind(kind, width, height, sample);
}

/** 16-bit samples that 8 bits cannot represent. */
const deep = (alphaAtStart = 30_000) =>
  png16(6, (x, y, c) => {
    if (c < 3) return (((y * 60 + x) * 4 + c) * 97) % 65_536;
    return y > 1 ? 65_535 : x + y === 0 ? alphaAtStart : 30_000;
  })(60, 40);

const linear = withChunks(graphic, [gamaChunk(100_000)]);
const typesOf = (chunks: readonly { readonly type: string }[]) => chunks.map(({ type }) => type).join();

export const PNG_CHECKS: Checks<CodecEngine> = {
  'PNG: is decoded to the same samples as by another decoder, alpha included': async ({ png }) => {
    for (const [i, file] of EACH_TYPE.entries())
      assert.equal(difference(await png.decode(file), file), 0, `type ${i}`);
  },
  'PNG: is optimised without changing a pixel, and is no larger': async ({ png }) => {
    for (const [i, file] of EACH_TYPE.entries()) {
      const optimised = await png.optimise(file);
      assert.ok(optimised.length <= file.length, `type ${i}`);
      assert.equal(difference(file, optimised), 0, `type ${i}`);
    }
  },
  'PNG: 16-bit samples stay when optimised, rotated or scaled, unless reduced': async ({ png }) => {
    const file = deep();
    assert.ok(await png.arePixelsEqual(file, await png.optimise(file)), 'reduced');
    const upright = await png.transform(file, { orientation: 6 });
    assert.equal(readPngStructure(upright).bitDepth, 16);
    const back = await png.transform(upright, { orientation: 8 });
    assert.ok(await png.arePixelsEqual(file, back), 'turned and turned back');
    for (const isReduced of [false, true]) {
      const size = { width: 30, height: 20 };
      const small = readPngStructure(await png.transform(file, { orientation: 1, size, isReduced }));
      assert.deepEqual([small.bitDepth, ...sizeOf(small.storedSize)], [isReduced ? 8 : 16, 30, 20]);
    }
  },
  'PNG: 16-bit samples are rounded to 8 bits when decoded or reduced': async ({ png }) => {
    for (const colourType of [0, 4, 2, 6] as const) {
      const { data } = await png.decode(png16(colourType, (x, y) => y * 256 + x)(256, 256));
      const expected = Uint8Array.from(data, (_, i) =>
        i % 4 === 3 && colourType < 4 ? 255 : Math.round(Math.floor(i / 4) / 257),
      );
      equal(data, expected, `colour type ${colourType}`);
    }
    // 4351 ÷ 257 is 16.93.
    const size = { width: 30, height: 20 };
    const flat = png16(2, () => 4_351)(60, 60);
    const small = await png.transform(flat, { orientation: 1, size, isReduced: true });
    assert.deepEqual([...decodeIndependently(small).data.subarray(0, 4)], [17, 17, 17, 255]);
  },
  'PNG: deflated data inflates to the same bytes, regardless of its first byte': async ({ png }) => {
    const some = Uint8Array.from({ length: 5000 }, (_, i) => (i * i) >> 7);
    for (const bytes of [some, some.subarray(40), Uint8Array.of(0), Uint8Array.of(0, 7), Uint8Array.of()]) {
      for (const effort of ['fast', 'balanced'] as const)
        equal(inflateSync(await png.deflate(bytes, effort)), bytes);
    }
  },
  'PNG: all eight orientations come out upright, with their transparency': async ({ png }) => {
    for (const orientation of ORIENTATIONS) {
      const upright = decodeIndependently(await png.transform(graphic, { orientation }));
      const off = difference(turned(decodeIndependently(graphic), orientation), upright);
      assert.equal(off, 0, String(orientation));
    }
  },
  'PNG: is scaled to the size that is asked for, without a rim around transparency': async ({ png }) => {
    const source = new PNG({ width: 80, height: 80 });
    for (let i = 0; i < 6400; i++) source.data.fill(i % 80 < 40 ? 255 : 0, i * 4, i * 4 + 4);
    const size = { width: 23, height: 31 };
    const shown = decodeIndependently(await png.transform(PNG.sync.write(source), { orientation: 1, size }));
    assert.deepEqual(sizeOf(shown), [23, 31]);
    const dark = shown.data.filter((value, i) => i % 4 === 0 && shown.data[i + 3] > 16 && value <= 235);
    assert.deepEqual([...dark], [], 'dark where all is white');
  },
  'PNG: detects a difference of 1 in one sample, of colour, alpha and 16 bits': async ({ png }) => {
    for (const at of [0, 3, 90 * 50 * 4 - 2]) {
      const other = PNG.sync.read(graphic);
      other.data[at] ^= 1;
      assert.equal(await png.arePixelsEqual(graphic, PNG.sync.write(other)), false, `sample ${at}`);
    }
    assert.equal(await png.arePixelsEqual(graphic, PNG.sync.write(PNG.sync.read(graphic))), true);
    assert.equal(await png.arePixelsEqual(deep(), deep(30_001)), false, '16 bits');
  },
  'PNG: a palette has at most 256 colours and looks the same, or is undefined': async ({ png }) => {
    const pixels = photoPixels(180, 100);
    const quantised = await png.quantise(asRgba(pixels));
    if (!quantised) return;
    assert.ok(colourCount(quantised) <= 256);
    assert.ok(difference(pixels, toRgba(quantised)) < 8);
  },
  'PNG: garbage and truncated files are refused, and the next file is decoded': async ({ png }) => {
    const damaged = Buffer.from(graphic);
    damaged[60] ^= 0xff;
    for (const [what, file] of [
      ['half a file', graphic.subarray(0, graphic.length / 2)],
      ['a wrong checksum', damaged],
    ] as const) {
      await refuses(() => png.decode(file), `decode: ${what}`);
      await refuses(() => png.transform(file, { orientation: 6 }), `transform: ${what}`);
      await refuses(() => png.optimise(file), `optimise: ${what}`);
    }
    assert.equal((await png.decode(graphic)).width, 90);
    assert.ok((await png.optimise(graphic)).length > 0);
  },
  'PNG: what reads a file does not change it': async ({ png }) => {
    const before = Buffer.from(graphic);
    await png.optimise(graphic);
    await png.transform(graphic, { orientation: 5 });
    await png.decode(graphic);
    equal(graphic, before);
  },
  'PNG: keeps chunks that define colours; grey with an RGB profile stays RGB': async ({ png }) => {
    assert.equal(typesOf(readPngStructure(await png.optimise(linear)).colourChunks), 'gAMA');
    const grey = PNG.sync.read(graphicPng(60, 40, { colorType: 0 }));
    const asRgb = PNG.sync.write(grey, { colorType: 2, deflateLevel: 1 });
    const { colourType, colourChunks } = readPngStructure(
      await png.optimise(withChunks(asRgb, [iccpChunk(adobeRgb())])),
    );
    assert.equal(typesOf(colourChunks), 'iCCP');
    assert.ok([2, 3, 6].includes(colourType), `colour type ${colourType}`);
  },
  'PNG: a rotated or scaled file contains only the image': async ({ png }) => {
    for (const options of [
      { orientation: 6 },
      { orientation: 1, size: { width: 30, height: 20 } },
    ] as const) {
      const { chunks } = readPngStructure(await png.transform(linear, options));
      assert.match(typesOf(chunks), /^IHDR(,PLTE)?(,tRNS)?(,IDAT)+,IEND$/);
    }
  },
  'PNG: a result does not depend on earlier images': async (engine) => {
    const { png } = engine;
    const steps: Steps = {};
    for (const [width, height] of SIZES) {
      const image = noise(width, height, 4, 9);
      const file = pngOfPixels(image);
      const what = `${width} x ${height}`;
      steps[`${what}, optimised`] = () => png.optimise(file);
      steps[`${what}, deflated`] = () => png.deflate(image.data, 'balanced');
      steps[`${what}, turned`] = () => png.transform(file, { orientation: 6 });
      steps[`${what}, palette`] = async () => (await png.quantise(image))?.rows;
    }
    await staySame(steps, engine, (other) => png.optimise(pngOfPixels(other)));
  },
};
