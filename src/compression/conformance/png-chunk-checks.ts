/** Requirements for the chunks that a PNG codec keeps or removes. */
import assert from 'node:assert/strict';
import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { pngChunk } from '../formats/png/png-chunks';
import { withChunks } from '../formats/png/png-metadata';
import { readPngStructure } from '../formats/png/png-structure';
import { wideProfile, pngOf, withGamma, type ConformanceCheck } from './images';

export const PNG_CHUNK_CHECKS: readonly ConformanceCheck[] = [
  {
    name: 'PNG: the reduction keeps chunks that define colours',
    async run({ png }) {
      const optimised = await png.optimise(withGamma(pngOf({ width: 90, height: 50 })));
      const { colourChunks } = readPngStructure(optimised);
      assert.equal(colourChunks.map(({ type }) => type).join(), 'gAMA');
    },
  },
  {
    name: 'PNG: a grey image with an RGB profile does not become a grey file, which cannot have one',
    async run({ png }) {
      const file = pngOf({ width: 60, height: 40 }, { colorType: 0 });
      const asRgb = PNG.sync.write(PNG.sync.read(file), { colorType: 2, deflateLevel: 1 });
      const profile = Buffer.from(`made\0\0${deflateSync(wideProfile()).toString('latin1')}`, 'latin1');
      const optimised = await png.optimise(withChunks(asRgb, [pngChunk('iCCP', profile)]));
      const { colourType, colourChunks } = readPngStructure(optimised);
      assert.equal(colourChunks.map(({ type }) => type).join(), 'iCCP');
      assert.ok([2, 3, 6].includes(colourType), `colour type ${colourType}`);
    },
  },
  {
    name: 'PNG: a rotated or scaled file contains only the image',
    async run({ png }) {
      const file = withGamma(pngOf({ width: 60, height: 40 }));
      const written = [
        await png.transform(file, { orientation: 6 }),
        await png.transform(file, { orientation: 1, size: { width: 30, height: 20 } }),
      ];
      const types = written.flatMap((result) => readPngStructure(result).chunks.map(({ type }) => type));
      const plain = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];
      assert.deepEqual(
        types.filter((type) => !plain.includes(type)),
        [],
      );
    },
  },
];
