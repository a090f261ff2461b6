/** What a new PNG keeps of the chunks of its source. */
import { deflateSync } from 'node:zlib';
import { readOrientation } from '../../../../../src/compression/formats/exif';
import { pngChunk, type PngChunk } from '../../../../../src/compression/formats/png/png-chunks';
import {
  keptChunks,
  withChunks,
  withoutForeignChunks,
} from '../../../../../src/compression/formats/png/png-metadata';
import { readPngStructure } from '../../../../../src/compression/formats/png/png-structure';
import { planReshaping, type WrittenMetadata } from '../../../../../src/compression/formats/reshaping';
import { asciiField, shortField, writeTiff } from '../../../../../src/compression/formats/tiff';
import { graphicPng } from '../../../../support/images';
import { rawProfile } from '../../../../support/metadata-files';
import { latin1 } from '../../../../support/phone-files';

const SIZE = { width: 400, height: 300 };
const reshapedTo = (width: number, height: number, applied: 1 | 6): WrittenMetadata => {
  const dimensions = { width, height };
  return { keep: 'all', orientation: 1, dimensions, reshaped: planReshaping(SIZE, dimensions, applied) };
};
const same: WrittenMetadata = { keep: 'all', orientation: 1, dimensions: SIZE };
const [scaled, turned] = [reshapedTo(200, 150, 1), reshapedTo(300, 400, 6)];
const xmp = (text: string) => pngChunk('iTXt', latin1(`XML:com.adobe.xmp\0\0\0\0\0${text}`));
const exif = Buffer.concat([
  latin1('Exif\0\0'),
  writeTiff([shortField(0x0112, 6), asciiField(0x013b, 'Ann')]),
]);
const kept = (chunks: readonly PngChunk[], written: WrittenMetadata) =>
  keptChunks({ chunks }, written).chunks;

it('EXIF that is stored as text stays as it is, and becomes eXIf if pixels change', () => {
  const chunks = [rawProfile('exif', exif)];
  expect(kept(chunks, same)).toEqual(chunks);
  const [{ type, data }, ...more] = kept(chunks, turned);
  expect([type, Buffer.from(data).includes('Ann'), more]).toEqual(['eXIf', true, []]);
  expect(readOrientation(data)).toBe(1);
  expect(kept([pngChunk('zTXt', latin1('Raw profile type exif\0\0damaged'))], turned)).toEqual([]);
});

it.each(['oFFs', 'vpAg', 'caNv'])('%s, in pixels, stays while the pixels do', (type) => {
  const chunks = [pngChunk(type, Buffer.alloc(9))];
  expect(kept(chunks, same)).toEqual(chunks);
  for (const changed of [scaled, turned]) expect(kept(chunks, changed)).toEqual([]);
});

it('packed XMP stays as it is, and goes if it states sizes that have changed', () => {
  const packed = (packet: string) =>
    pngChunk('iTXt', Buffer.concat([latin1('XML:com.adobe.xmp\0\x01\0en\0\0'), deflateSync(packet)]));
  const [sizes, title] = [packed('<x tiff:ImageWidth="400"/>'), packed('<x dc:source="a"/>')];
  for (const chunk of [sizes, title])
    expect(keptChunks({ chunks: [chunk] }, same)).toEqual({ chunks: [chunk], removed: [] });
  expect(keptChunks({ chunks: [title] }, scaled)).toEqual({ chunks: [title], removed: [] });
  expect(keptChunks({ chunks: [sizes] }, scaled)).toEqual({ chunks: [], removed: ['xmp-positions'] });
});

it('a new file has one eXIf and one pHYs', () => {
  const phys = () => pngChunk('pHYs', Buffer.of(0, 0, 46, 35, 0, 0, 46, 35, 1));
  const eXIf = () => pngChunk('eXIf', writeTiff([asciiField(0x013b, 'Ann')]));
  const types = kept([eXIf(), phys(), eXIf(), phys()], same).map(({ type }) => type);
  expect(types.sort()).toEqual(['eXIf', 'pHYs']);
});

it('a copy with author and owner does not grow, whatever they are packed in', () => {
  const copyOf = (chunks: readonly PngChunk[]) => {
    const png = withChunks(graphicPng(8, 8), chunks);
    const copy = withoutForeignChunks(png, readPngStructure(png), 'copyright');
    return { png, copy: Buffer.from(copy ?? png) };
  };
  const tiny = '<photoshop:Credit>a</photoshop:Credit>';
  const deflated = pngChunk(
    'iTXt',
    Buffer.concat([latin1('XML:com.adobe.xmp\0\x01\0\0\0'), deflateSync(tiny.repeat(20))]),
  );
  for (const chunks of [
    Array.from({ length: 1000 }, () => xmp(tiny)),
    [deflated],
    [rawProfile('exif', exif)],
  ]) {
    const { png, copy } = copyOf(chunks);
    expect(copy.length).toBeLessThanOrEqual(png.length);
  }
  // EXIF alone takes fewer bytes than the text.
  const { copy } = copyOf([rawProfile('exif', Buffer.concat([exif, Buffer.alloc(99, 'Secret')]))]);
  expect([copy.includes('Ann'), copy.includes('eXIf'), copy.includes('Raw')]).toEqual([true, true, false]);
});
