/** PNGs whose pixels are data: with QUALITY=lossless nothing of them changes, the order of a palette included. */
import { deflateSync } from 'node:zlib';
import { pngChunk, readChunks, pngOfChunks } from '../../src/compression/formats/png/png-chunks';
import { inflatedRows, withoutFilters } from '../../src/compression/formats/png/png-raw-rows';
import { readPngStructure } from '../../src/compression/formats/png/png-structure';
import { png, textured } from '../support/drawn-pngs';
import { decodeIndependently } from '../support/images';
import { pngOfKind } from '../support/png-types';
import { expectUnchanged, withEveryEngine } from './engines';

const LOSSLESS = { QUALITY: 'lossless', MIN_SAVINGS_PERCENT: '0' };

/** Header, palette, transparency, and the index of every pixel. */
function contentOf(source: Uint8Array) {
  const structure = readPngStructure(source);
  const dataOf = (name: string) =>
    structure.chunks.flatMap(({ type, data }) => (type === name ? [data] : []));
  const rows = withoutFilters(structure, inflatedRows(structure, dataOf('IDAT'))!)!;
  const hex = (parts: readonly Uint8Array[]) => Buffer.concat(parts).toString('hex');
  return [hex(dataOf('IHDR')), hex(dataOf('PLTE')), hex(dataOf('tRNS')), hex([rows])];
}

/** A mask of classes: 21 colours in an order of their own, two of them equal, and 235 that no pixel has. */
function mask() {
  const drawn = pngOfKind(
    { colourType: 3, bitDepth: 8 },
    180,
    120,
    (x, y) => (((x >> 4) * 5 + (y >> 3) * 3) % 21) + (x % 60 === 0 ? 9 : 0),
  );
  const palette = Buffer.alloc(768, 0x80);
  for (let i = 0; i < 63; i++) palette[i] = (i * 151) % 256;
  palette.copyWithin(9, 3, 6);
  return pngOfChunks(
    readChunks(drawn).flatMap((chunk) =>
      chunk.type === 'PLTE' ? [pngChunk('PLTE', palette), pngChunk('tRNS', Buffer.of(0, 255, 7))] : [chunk],
    ),
  );
}

withEveryEngine((compress) => {
  it.each<[string, Uint8Array]>([
    ['a mask', mask()],
    ...([1, 2, 4] as const).map((bitDepth): [string, Uint8Array] => [
      `a palette of ${bitDepth} bits`,
      pngOfKind({ colourType: 3, bitDepth, hasTransparentColour: true }, 120, 90),
    ]),
    [
      'an interlaced palette',
      pngOfKind({ colourType: 3, bitDepth: 8, isInterlaced: true, hasTransparentColour: true }, 120, 90),
    ],
  ])('%s keeps its palette, and every index its meaning', async (_, source) => {
    const { bytes, report } = await compress(source, LOSSLESS);
    expect(bytes.length).toBeLessThan(source.length);
    expect([report.score, report.maxError]).toEqual([1, 0]);
    expect(contentOf(bytes)).toEqual(contentOf(source));
    await expectUnchanged(compress, bytes, LOSSLESS);
  });

  it('damaged data are refused', async () => {
    const source = mask();
    const chunks = readChunks(source).map((chunk) =>
      chunk.type === 'IDAT' ? pngChunk('IDAT', deflateSync(Buffer.alloc(999))) : chunk,
    );
    await expect(compress(pngOfChunks(chunks), LOSSLESS)).rejects.toMatchObject({
      code: 'undecodable_image',
    });
  });

  it('colours under an alpha of 0 are data too', async () => {
    const source = png(90, 70, (x, y) => [...textured(x, y).slice(0, 3), (x + y) % 3 === 0 ? 0 : 255]);
    const { bytes } = await compress(source, LOSSLESS);
    expect(decodeIndependently(bytes)).toEqual(decodeIndependently(source));
  });

  it('format=auto does not convert with loss', async () => {
    const photo = png(210, 160, textured);
    expect((await compress(photo, { FORMAT: 'auto' })).report.format).not.toBe('png');
    const { report } = await compress(photo, { ...LOSSLESS, FORMAT: 'auto' });
    expect([report.format, report.score, report.maxError]).toEqual(['webp', 1, 0]);
    const hidden = png(210, 160, (x, y) => [...textured(x, y).slice(0, 3), x < 20 ? 0 : 255]);
    expect((await compress(hidden, { ...LOSSLESS, FORMAT: 'auto' })).report.format).toBe('png');
  });
});
