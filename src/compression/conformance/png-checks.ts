/** Requirements for a PNG codec. */
import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { colourCount, rgbaOf } from '../domain/palette/indexed-image';
import { readPngStructure } from '../formats/png/png-structure';
import { asRgba } from '../domain/pixels';
import {
  decodeIndependently,
  deepPng,
  deepPngOf,
  difference,
  pngOf,
  refuses,
  turned,
  type ConformanceCheck,
} from './images';

/** Options of pngjs. */
const EACH_COLOUR_TYPE = [{}, { colorType: 2 }, { colorType: 0 }, { colorType: 4 }];

export const PNG_CHECKS: readonly ConformanceCheck[] = [
  {
    name: 'PNG: is decoded to the same samples as by another decoder, alpha included',
    async run({ png }) {
      for (const options of EACH_COLOUR_TYPE) {
        const file = pngOf({ width: 90, height: 50 }, options);
        const off = difference(asRgba(await png.decode(file)), decodeIndependently(file));
        assert.equal(off, 0, JSON.stringify(options));
      }
    },
  },
  {
    name: 'PNG: is optimised without changing a pixel, and is no larger',
    async run({ png }) {
      for (const options of EACH_COLOUR_TYPE) {
        const file = pngOf({ width: 90, height: 50 }, options);
        const optimised = await png.optimise(file);
        assert.ok(optimised.length <= file.length, JSON.stringify(options));
        const [before, after] = [decodeIndependently(file), decodeIndependently(optimised)];
        assert.equal(difference(before, after), 0, JSON.stringify(options));
      }
    },
  },
  {
    name: 'PNG: 16-bit samples stay 16-bit when the file is optimised, rotated or scaled',
    async run({ png }) {
      const file = deepPng();
      assert.ok(await png.arePixelsEqual(file, await png.optimise(file)), 'reduced');
      const upright = await png.transform(file, { orientation: 6 });
      const { bitDepth, storedSize } = readPngStructure(upright);
      assert.deepEqual([bitDepth, storedSize.width], [16, 40]);
      const back = await png.transform(upright, { orientation: 8 });
      assert.ok(await png.arePixelsEqual(file, back), 'turned and turned back');
      const small = readPngStructure(
        await png.transform(file, { orientation: 1, size: { width: 30, height: 20 } }),
      );
      assert.deepEqual([small.bitDepth, small.storedSize.width, small.storedSize.height], [16, 30, 20]);
    },
  },
  {
    name: 'PNG: 16-bit samples become 8-bit ones where that is asked for',
    async run({ png }) {
      const size = { width: 30, height: 20 };
      const small = await png.transform(deepPng(), { orientation: 1, size, isReduced: true });
      assert.equal(readPngStructure(small).bitDepth, 8);
    },
  },
  {
    name: 'PNG: 16-bit samples are rounded to the nearest of 8 bits when the file is decoded or reduced',
    async run({ png }) {
      for (const channels of [1, 2, 3, 4] as const) {
        const { data } = await png.decode(deepPngOf(256, channels, (i) => i));
        for (let i = 0; i < 65_536; i++) {
          const expected = Math.round(i / 257);
          const alpha = channels % 2 === 0 ? expected : 255;
          const pixel = [...data.subarray(i * 4, i * 4 + 4)];
          assert.deepEqual(pixel, [expected, expected, expected, alpha], `${channels} channels, ${i}`);
        }
      }
      // 4351 ÷ 257 is 16.93.
      const size = { width: 30, height: 20 };
      const flat = deepPngOf(60, 3, () => 4_351);
      const small = await png.transform(flat, { orientation: 1, size, isReduced: true });
      assert.deepEqual([...decodeIndependently(small).data.subarray(0, 4)], [17, 17, 17, 255]);
    },
  },
  {
    name: 'PNG: deflated data inflates to the same bytes, regardless of its first byte',
    async run({ png }) {
      const some = Uint8Array.from({ length: 5000 }, (_, i) => (i * i) >> 7);
      const tiny = [[0], [0, 7], []].map((bytes) => Uint8Array.from(bytes));
      for (const bytes of [some, some.subarray(40), ...tiny]) {
        for (const effort of ['fast', 'balanced'] as const) {
          const inflated = inflateSync(await png.deflate(bytes, effort));
          assert.deepEqual(new Uint8Array(inflated), Uint8Array.from(bytes));
        }
      }
    },
  },
  {
    name: 'PNG: all eight orientations come out upright, with their transparency',
    async run({ png }) {
      const file = pngOf({ width: 90, height: 50 });
      for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8] as const) {
        const upright = decodeIndependently(await png.transform(file, { orientation }));
        const off = difference(turned(decodeIndependently(file), orientation), upright);
        assert.equal(off, 0, String(orientation));
      }
    },
  },
  {
    name: 'PNG: is scaled to exactly the size that is asked for, without a dark rim around transparent areas',
    async run({ png }) {
      const [width, height] = [80, 80];
      const source = new PNG({ width, height });
      for (let i = 0; i < width * height; i++)
        source.data.set(i % width < 40 ? [255, 255, 255, 255] : [0, 0, 0, 0], i * 4);
      const small = await png.transform(PNG.sync.write(source), {
        orientation: 1,
        size: { width: 23, height: 31 },
      });
      const shown = decodeIndependently(small);
      assert.deepEqual([shown.width, shown.height], [23, 31]);
      for (let i = 0; i < shown.data.length; i += 4) {
        if (shown.data[i + 3] > 16)
          assert.ok(shown.data[i] > 235, `grey ${shown.data[i]} where all is white`);
      }
    },
  },
  {
    name: 'PNG: detects a difference of 1 in one sample, of colour, alpha and 16 bits',
    async run({ png }) {
      const file = pngOf({ width: 40, height: 30 });
      for (const at of [0, 3, 40 * 30 * 4 - 2]) {
        const other = PNG.sync.read(file);
        other.data[at] ^= 1;
        assert.equal(await png.arePixelsEqual(file, PNG.sync.write(other)), false, `sample ${at}`);
      }
      assert.equal(await png.arePixelsEqual(file, PNG.sync.write(PNG.sync.read(file))), true);
      assert.equal(await png.arePixelsEqual(deepPng(), deepPng(1)), false, '16 bits');
    },
  },
  {
    name: 'PNG: a palette has at most 256 colours and looks the same, or is undefined',
    async run({ png }) {
      const file = pngOf({ width: 180, height: 100 });
      const quantised = await png.quantise(await png.decode(file), 95);
      if (!quantised) return;
      assert.ok(colourCount(quantised) <= 256);
      assert.ok(difference(decodeIndependently(file), rgbaOf(quantised)) < 8);
    },
  },
  {
    name: 'PNG: garbage and truncated files are refused, and the next file is not affected',
    async run({ png }) {
      const good = pngOf({ width: 90, height: 50 });
      const half = good.subarray(0, good.length / 2);
      const damaged = Buffer.from(good);
      damaged[60] ^= 0xff;
      for (const [what, file] of [
        ['half a file', half],
        ['a wrong checksum', damaged],
      ] as const) {
        await refuses(() => png.decode(file), `decode: ${what}`);
        await refuses(() => png.transform(file, { orientation: 6 }), `transform: ${what}`);
        await refuses(() => png.optimise(file), `optimise: ${what}`);
      }
      assert.equal((await png.decode(good)).width, 90);
      assert.ok((await png.optimise(good)).length > 0);
    },
  },
  {
    name: 'PNG: the same input gives the same bytes, and is not changed',
    async run({ png }) {
      const file = pngOf({ width: 90, height: 50 });
      const before = Buffer.from(file);
      for (const work of [() => png.optimise(file), () => png.transform(file, { orientation: 5 })]) {
        const [first, second] = [await work(), await work()];
        assert.deepEqual(Buffer.from(first), Buffer.from(second));
      }
      const pixels = await png.decode(file);
      assert.deepEqual(await png.quantise(pixels, 90), await png.quantise(pixels, 90));
      assert.deepEqual(file, before);
    },
  },
];
