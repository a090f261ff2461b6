/** What is kept of the chunks of a PNG is true of the new pixels, and never grows. */
import { deflateSync, inflateSync } from 'node:zlib';
import { orientationOf } from '../../../../../src/compression/formats/exif-fields';
import { pngChunk, type PngChunk } from '../../../../../src/compression/formats/png/png-chunks';
import { keptChunks, withChunks } from '../../../../../src/compression/formats/png/png-metadata';
import { readPngStructure } from '../../../../../src/compression/formats/png/png-structure';
import { withoutPrivateChunks } from '../../../../../src/compression/formats/png/private-png';
import { reshapingOf, type WrittenMetadata } from '../../../../../src/compression/formats/reshaping';
import { asciiField, shortField, writeTiff } from '../../../../../src/compression/formats/tiff';
import { graphicPng } from '../../../../support/images';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const [SIZE, HALF, UPRIGHT] = [
  { width: 400, height: 300 },
  { width: 200, height: 150 },
  { width: 300, height: 400 },
];
const written = (changes: Partial<WrittenMetadata> = {}): WrittenMetadata => ({
  keep: 'all',
  orientation: 1,
  dimensions: SIZE,
  ...changes,
});
const scaled = written({ dimensions: HALF, reshaped: reshapingOf(SIZE, HALF, 1) });
const turned = written({ dimensions: UPRIGHT, reshaped: reshapingOf(SIZE, UPRIGHT, 6) });
const hexOf = (name: string, bytes: Uint8Array) =>
  latin1(`\n${name}\n${String(bytes.length).padStart(8)}\n${Buffer.from(bytes).toString('hex')}\n`);
const rawProfile = (name: string, bytes: Uint8Array, isDeflated = true) =>
  isDeflated
    ? pngChunk(
        'zTXt',
        Buffer.concat([latin1(`Raw profile type ${name}\0\0`), deflateSync(hexOf(name, bytes))]),
      )
    : pngChunk('tEXt', Buffer.concat([latin1(`Raw profile type ${name}\0`), hexOf(name, bytes)]));
const exifOfRaw = ({ type, data }: PngChunk) => {
  const value = data.subarray(data.indexOf(0) + 1);
  const text = (type === 'zTXt' ? inflateSync(value.subarray(1)) : Buffer.from(value)).toString('latin1');
  return Buffer.from(text.split('\n').slice(3).join(''), 'hex').subarray(6);
};
const exif = (orientation: number) =>
  Buffer.concat([latin1('Exif\0\0'), writeTiff([shortField(0x0112, orientation), shortField(0x0100, 400)])]);
const typesOf = (chunks: readonly PngChunk[]) => chunks.map(({ type }) => type);

it.each([true, false])(
  'EXIF that is stored as text (deflated: %s) says what is true of the pixels',
  (isDeflated) => {
    const chunks = [rawProfile('exif', exif(6), isDeflated)];
    const [afterTurn] = keptChunks({ chunks }, turned);
    expect(orientationOf(exifOfRaw(afterTurn))).toBe(1);
    // Nobody has rotated these pixels.
    const [afterScale] = keptChunks({ chunks }, scaled);
    expect(orientationOf(exifOfRaw(afterScale))).toBe(6);
    expect(exifOfRaw(afterScale).includes(Buffer.from([0x01, 0x00, 0, 3, 0, 0, 0, 1, 0, 200]))).toBe(true);
    expect(keptChunks({ chunks }, written())[0].type).toBe(chunks[0].type);
  },
);

it('text profiles that cannot be read go when pixels change', () => {
  const chunks = [pngChunk('zTXt', latin1('Raw profile type exif\0\0damaged'))];
  expect(keptChunks({ chunks }, turned)).toEqual([]);
  expect(keptChunks({ chunks }, written())).toEqual(chunks);
});

it.each(['oFFs', 'vpAg', 'caNv'])('%s, in pixels, stays while the pixels do', (type) => {
  const chunks = [pngChunk(type, Buffer.alloc(9))];
  expect(keptChunks({ chunks }, written())).toEqual(chunks);
  for (const changed of [scaled, turned]) expect(keptChunks({ chunks }, changed)).toEqual([]);
});

it('packed XMP is updated like any other', () => {
  const packet = '<x tiff:Orientation="6" tiff:ImageWidth="400"/>';
  const chunk = pngChunk(
    'iTXt',
    Buffer.concat([latin1('XML:com.adobe.xmp\0\x01\0en\0\0'), deflateSync(packet)]),
  );
  const [{ data }] = keptChunks({ chunks: [chunk] }, turned);
  expect(inflateSync(data.subarray(Buffer.from(data).indexOf('en') + 4)).toString()).toBe(
    '<x tiff:Orientation="1" tiff:ImageWidth="300"/>',
  );
});

it('readers use only one eXIf, pHYs and XMP', () => {
  const xmp = (text: string) => pngChunk('iTXt', latin1(`XML:com.adobe.xmp\0\0\0\0\0${text}`));
  const phys = () => pngChunk('pHYs', Buffer.from([0, 0, 46, 35, 0, 0, 46, 35, 1]));
  const eXIf = () => pngChunk('eXIf', writeTiff([asciiField(0x013b, 'Ann')]));
  const kept = keptChunks({ chunks: [eXIf(), phys(), xmp('a'), eXIf(), phys(), xmp('b')] }, written());
  expect(typesOf(kept)).toEqual(['eXIf', 'pHYs', 'iTXt']);
});

describe('a copy with author and copyright', () => {
  const copyOf = (chunks: readonly PngChunk[]) => {
    const png = withChunks(graphicPng(8, 8), chunks);
    const copy = withoutPrivateChunks(png, readPngStructure(png), 'copyright');
    return { png, copy };
  };
  const xmp = (text: string) => pngChunk('iTXt', latin1(`XML:com.adobe.xmp\0\0\0\0\0${text}`));

  it('does not grow, however many packets there are', () => {
    const tiny = '<photoshop:Credit>a</photoshop:Credit>';
    const { png, copy } = copyOf(Array.from({ length: 1000 }, () => xmp(tiny)));
    expect(copy?.length).toBeLessThan(png.length);
    const packed = deflateSync(tiny.repeat(20));
    const chunk = pngChunk('iTXt', Buffer.concat([latin1('XML:com.adobe.xmp\0\x01\0\0\0'), packed]));
    const grown = copyOf([chunk]);
    expect(grown.copy?.length).toBeLessThanOrEqual(grown.png.length);
  });

  it('keeps the rights of a packet in the form that it has', () => {
    const packet =
      '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:Credit="Ann" photoshop:City="Secret"/></rdf:RDF></x:xmpmeta>';
    const { copy } = copyOf([xmp(packet)]);
    expect(Buffer.from(copy ?? []).toString('latin1')).toContain('photoshop:Credit="Ann"></rdf:Description>');
    expect(Buffer.from(copy ?? []).includes('Secret')).toBe(false);
  });

  it('keeps the rights of EXIF that is stored as text', () => {
    const block = Buffer.concat([
      latin1('Exif\0\0'),
      writeTiff([asciiField(0x013b, 'Ann'), asciiField(0x010f, 'Secret')]),
    ]);
    const { copy } = copyOf([rawProfile('exif', block, false)]);
    const kept = readPngStructure(copy ?? new Uint8Array()).chunks;
    expect(typesOf(kept)).toContain('eXIf');
    expect(Buffer.from(copy ?? []).includes('Ann')).toBe(true);
    expect(Buffer.from(copy ?? []).includes('Secret')).toBe(false);
  });
});
