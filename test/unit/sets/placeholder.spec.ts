/** The colour of a placeholder is the one that viewers show of a PNG of one pixel. */
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { makePlaceholder } from '../../../src/sets/placeholder';
import { pngChunk, pngOfChunks, type PngChunk } from '../../../src/compression/formats/png/png-chunks';
import { gamaChunk, iccpChunk } from '../../file-kinds/png-parts';
import { greyOfGamma, linearRgb } from '../../support/icc-profiles';

/** @param row the samples of the only pixel */
function colourOf(bitDepth: number, colourType: number, row: number[], chunks: PngChunk[] = []) {
  const header = Buffer.of(0, 0, 0, 1, 0, 0, 0, 1, bitDepth, colourType, 0, 0, 0);
  const pixels = pngChunk('IDAT', deflateSync(Buffer.from([0, ...row])));
  return makePlaceholder(pngOfChunks([pngChunk('IHDR', header), ...chunks, pixels]), 'colour');
}
const palette = pngChunk('PLTE', Buffer.of(1, 2, 3, 200, 100, 50));
const deep = [0x36, 0x9a, 0, 255, 255, 255];

it.each<[string, string | null, string | null]>([
  ['grey of 1 bit', colourOf(1, 0, [0x80]), '#ffffff'],
  ['grey of 4 bits', colourOf(4, 0, [0x80]), '#888888'],
  ['a transparent pixel', colourOf(8, 4, [40, 9]), null],
  ['a transparent palette', colourOf(1, 3, [0], [palette, pngChunk('tRNS', Buffer.of(9))]), null],
  ['RGB', colourOf(8, 2, [40, 50, 60]), '#28323c'],
  ['a palette', colourOf(1, 3, [0x80], [palette]), '#c86432'],
  ['RGB with a suggested palette', colourOf(8, 2, [40, 50, 60], [palette]), '#28323c'],
  ['RGB of 16 bits', colourOf(16, 2, deep), '#3601ff'],
  ['linear light of 16 bits', colourOf(16, 2, deep, [gamaChunk(100_000)]), '#7f0dff'],
  ['a linear profile', colourOf(8, 2, [55, 0, 255], [iccpChunk(linearRgb())]), '#8000ff'],
  ['a profile for grey', colourOf(8, 0, [55], [iccpChunk(greyOfGamma(1))]), '#808080'],
])('%s', (_, colour, expected) => expect(colour).toBe(expected));

it('inflates no more than one pixel, whatever the worker has sent', () => {
  expect(() => colourOf(8, 2, Array<number>(1_000_000).fill(0))).toThrow('larger than 9 bytes');
});

const tiny = (alpha: number) =>
  sharp({ create: { width: 16, height: 9, channels: 4, background: { r: 9, g: 99, b: 200, alpha } } });
it.each([true, false])('a preview, lossless: %s', async (lossless) => {
  const previewOf = async (alpha: number) => {
    const bytes = await tiny(alpha).webp({ lossless }).toBuffer();
    return makePlaceholder(bytes, 'blur');
  };
  expect(await previewOf(1)).toMatch(/^data:image\/webp;base64,/);
  // It would stay visible behind the transparent image.
  expect(await previewOf(0.5)).toBeNull();
});
