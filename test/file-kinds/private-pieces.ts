/** Pieces of metadata, private and harmless, and what is expected of files that hold them. */
import { readJpegFile, type JpegSegment } from '../../src/compression/formats/jpeg/jpeg-segments';
import { pngChunk, readChunks, type PngChunk } from '../../src/compression/formats/png/png-chunks';
import { asciiField, shortField, TYPE, writeTiff, type TiffField } from '../../src/compression/formats/tiff';
import { exifSegment } from '../support/jpeg-metadata';
import { ARTIST } from '../support/metadata-files';
import { xmpSegment } from '../support/phone-files';
import type { Compress } from './engines';

export const latin1 = (text: string) => Buffer.from(text, 'latin1');
export const segment = (marker: number, text: string): JpegSegment => ({ marker, payload: latin1(text) });
const inExif = (...fields: TiffField[]) => writeTiff([{ tag: 0x8769, directory: fields }]);
const photoshop = (id: number, data: string) =>
  segment(
    0xed,
    `Photoshop 3.0\x008BIM${String.fromCharCode(id >> 8, id & 255)}\0\0\0\0\0${String.fromCharCode(data.length)}${data}${data.length % 2 ? '\0' : ''}`,
  );
const iptc = (number: number, value: string) =>
  photoshop(0x0404, `\x1c\x02${String.fromCharCode(number)}\0${String.fromCharCode(value.length)}${value}`);

/** 72 dots per inch, and a thumbnail of 1 × 2 px. */
export const jfif = (thumbnail = '') =>
  segment(0xe0, `JFIF\0\x01\x01\x01\0\x48\0\x48${thumbnail ? '\x01\x02' : '\0\0'}${thumbnail}`);

const PRIVATE_EXIF: Record<string, Uint8Array> = {
  'a position': writeTiff([{ tag: 0x8825, directory: [asciiField(0x001d, 'Secret')] }]),
  'an artist': writeTiff([asciiField(0x013b, ARTIST)]),
  'a description': writeTiff([asciiField(0x010e, 'Secret')]),
  'a serial number': inExif(asciiField(0xa431, 'Secret')),
  'the owner of the camera': inExif(asciiField(0xa430, 'Secret')),
  'a maker note': inExif({ tag: 0x927c, type: TYPE.undefined, value: latin1('Secret') }),
  'the date of the picture': inExif(asciiField(0x9003, '2026:01:02 03:04:05')),
  'a block that cannot be read': latin1('Secret and not TIFF'),
};
const HARMLESS_EXIF: Record<string, Uint8Array> = {
  'an orientation': writeTiff([shortField(0x0112, 6)]),
  'camera, program and exposure': writeTiff([
    asciiField(0x010f, 'Maker'),
    asciiField(0x0110, 'Model'),
    asciiField(0x0131, 'Program'),
    asciiField(0x0132, '2026:01:02 03:04:05'),
    { tag: 0x8769, directory: [shortField(0x8827, 100), asciiField(0xa434, 'Lens')] },
  ]),
};

export const PRIVATE_SEGMENTS: Record<string, JpegSegment> = {
  ...Object.fromEntries(Object.entries(PRIVATE_EXIF).map(([name, tiff]) => [name, exifSegment(tiff)])),
  'an IPTC by-line': iptc(80, ARTIST),
  "Photoshop's thumbnail": photoshop(0x040c, 'Secret'),
  'resources that cannot be read': segment(0xed, 'Photoshop 3.0\0Secret'),
  'an XMP history': xmpSegment('<rdf:Description><xmpMM:History>Secret</xmpMM:History></rdf:Description>'),
  'more XMP': segment(0xe1, 'http://ns.adobe.com/xmp/extension/\0Secret'),
  'a thumbnail in JFXX': segment(0xe0, 'JFXX\0\x10Secret'),
  'a signature': segment(0xeb, 'JPSecret'),
  'vendor data': segment(0xe5, 'Secret'),
};
export const HARMLESS_SEGMENTS: Record<string, JpegSegment> = {
  ...Object.fromEntries(Object.entries(HARMLESS_EXIF).map(([name, tiff]) => [name, exifSegment(tiff)])),
  'a comment': segment(0xfe, 'Made with a program'),
  'the resolution of prints': photoshop(0x03ed, '\0\x48\0\0\0\x01\0\x01\0\x48\0\0\0\x01\0\x01'),
  "the quality of Photoshop's export": segment(0xec, 'Ducky\0\x01\0\x04\0\0\0\x3c\0\0'),
};

const text = (type: string, keyword: string, value: string) => pngChunk(type, latin1(`${keyword}\0${value}`));
export const PRIVATE_CHUNKS: Record<string, PngChunk> = {
  ...Object.fromEntries(Object.entries(PRIVATE_EXIF).map(([name, tiff]) => [name, pngChunk('eXIf', tiff)])),
  'an author': text('tEXt', 'Author', ARTIST),
  'an author in UTF-8': text('iTXt', 'Author', `\0\0\0\0${ARTIST}`),
  'packed text': text('zTXt', 'Location', '\0Secret'),
  'an XMP history': text('iTXt', 'XML:com.adobe.xmp', '\0\0\0\0<xmpMM:History/>'),
  'EXIF as text': text('tEXt', 'Raw profile type exif', 'Secret'),
  'an unknown chunk': pngChunk('prVw', latin1('Secret')),
};
export const HARMLESS_CHUNKS: Record<string, PngChunk> = {
  'an orientation': pngChunk('eXIf', HARMLESS_EXIF['an orientation']),
  'camera, program and exposure': pngChunk('eXIf', HARMLESS_EXIF['camera, program and exposure']),
  'a resolution': pngChunk('pHYs', Buffer.from([0, 0, 11, 19, 0, 0, 11, 19, 1])),
  'a comment': text('tEXt', 'Comment', 'Made with a program'),
  "ImageMagick's date": text('tEXt', 'date:create', '2026-01-02T03:04:05+00:00'),
  "ImageMagick's copy of a profile's name": text('tEXt', 'icc:description', 'sRGB'),
  'a program': text('tEXt', 'Software', 'Program'),
  'the date of the file': pngChunk('tIME', Buffer.from([7, 234, 1, 2, 3, 4, 5])),
};

/** Everything of a JPEG that decides about its samples, from the first table on. */
const coded = (jpeg: Uint8Array) => {
  const { segments, end } = readJpegFile(jpeg);
  const tables = segments.filter(({ marker }) => marker < 0xe0 || marker === 0xee);
  const from = segments.at(-1)!.end;
  return Buffer.concat([...tables.map(({ payload }) => payload), jpeg.subarray(from, end)]);
};
const imageData = (png: Uint8Array) =>
  Buffer.concat(readChunks(png).flatMap(({ type, data }) => (/^(I|f|a)[DcH]/.test(type) ? [data] : [])));

export async function expectUnchanged(compress: Compress, source: Uint8Array, settings = {}): Promise<void> {
  const { bytes, report } = await compress(source, settings);
  expect(report.skipReason).toBeDefined();
  expect(Buffer.from(bytes).equals(Buffer.from(source))).toBe(true);
}

/** Returns the result, which has the same coded image and is not changed again. */
export async function cleaned(compress: Compress, source: Uint8Array, settings = {}): Promise<Buffer> {
  const { bytes, report } = await compress(source, settings);
  expect(report).not.toHaveProperty('skipReason');
  expect([report.score, report.encodes]).toEqual([1, 0]);
  expect(report.bytesSaved).toBe(source.length - bytes.length);
  expect(report.bytesSaved).toBeGreaterThan(0);
  if (report.format === 'jpeg') expect(coded(bytes).equals(coded(source))).toBe(true);
  else expect([report.maxError, imageData(bytes).equals(imageData(source))]).toEqual([0, true]);
  await expectUnchanged(compress, bytes, settings);
  return Buffer.from(bytes);
}
