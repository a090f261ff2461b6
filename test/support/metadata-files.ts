/** Images with all kinds of metadata, made in code; everything private contains the word Secret. */
import { deflateSync } from 'node:zlib';
import { uint16s, uint32s } from '../../src/compression/formats/bytes';
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import type { JpegSegment } from '../../src/compression/formats/jpeg/jpeg-segments';
import {
  asciiField,
  shortField,
  TYPE,
  writeDirectory,
  writeTiff,
  type TiffField,
} from '../../src/compression/formats/tiff';
import { exifSegment } from './jpeg-metadata';
import { latin1, xmpSegment } from './phone-files';

export const ARTIST = 'Jane Artist';
export const OWNER = '2026 Jane Owner';
const THUMBNAIL = Buffer.from('\xff\xd8ThumbnailPicture\xff\xd9', 'latin1');

const long = (tag: number, value: number): TiffField => ({ tag, type: TYPE.long, value: uint32s(value) });

/** A chunk as ImageMagick writes it. */
export function rawProfile(name: string, bytes: Uint8Array) {
  const hex = `\n${name}\n${String(bytes.length).padStart(8)}\n${Buffer.from(bytes).toString('hex')}\n`;
  return pngChunk('zTXt', Buffer.concat([latin1(`Raw profile type ${name}\0\0`), deflateSync(latin1(hex))]));
}

/** An EXIF block with camera, serial number, maker note, position and a thumbnail in a second directory. */
function fullExif(orientation: number, width: number, height: number): Buffer {
  const block = Buffer.from(
    writeTiff([
      asciiField(0x010f, 'SecretMake'),
      shortField(0x0112, orientation),
      long(0x0100, width),
      asciiField(0x013b, ARTIST),
      asciiField(0x8298, OWNER),
      {
        tag: 0x8769,
        directory: [
          asciiField(0xa431, 'SecretSerial'),
          { tag: 0x927c, type: TYPE.undefined, value: latin1('SecretMakerNote') },
          shortField(0xa002, width),
          shortField(0xa003, height),
        ],
      },
      { tag: 0x8825, directory: [asciiField(0x001d, 'SecretGps')] },
    ]),
  );
  const entries = block.readUInt16BE(8);
  block.writeUInt32BE(block.length, 10 + entries * 12);
  const thumbnailAt = block.length + 2 + 2 * 12 + 4;
  const second = writeDirectory([long(0x0201, thumbnailAt), long(0x0202, THUMBNAIL.length)], block.length);
  return Buffer.concat([block, second, THUMBNAIL]);
}

/** A resource of Photoshop, padded to an even length. */
function resource(id: number, data: Uint8Array): Buffer {
  const head = [latin1('8BIM'), uint16s(id, 0), uint32s(data.length)];
  return Buffer.concat([...head, data, Buffer.alloc(data.length % 2)]);
}

export type DataSet = readonly [number, Uint8Array | string];

/** The resource of IPTC. */
export function iptcOf(...sets: readonly DataSet[]): Buffer {
  const pieces = sets.flatMap(([number, text]) => {
    const value = Buffer.from(text);
    return [Buffer.of(0x1c, 2, number, 0, value.length), value];
  });
  return resource(0x0404, Buffer.concat(pieces));
}

export const photoshopSegment = (...resources: readonly Buffer[]): JpegSegment => ({
  marker: 0xed,
  payload: Buffer.concat([latin1('Photoshop 3.0\0'), ...resources]),
});

export function fullJpeg(jpeg: Uint8Array, orientation: number, width: number, height: number): Buffer {
  const xmp = xmpSegment(
    `<rdf:Description tiff:Orientation="${orientation}" exif:PixelXDimension="${width}"><dc:title>SecretTitle</dc:title><xmp:Thumbnails>${THUMBNAIL.toString('latin1')}</xmp:Thumbnails></rdf:Description>`,
  );
  return Buffer.from(
    withSegments(jpeg, [
      exifSegment(fullExif(orientation, width, height)),
      xmp,
      photoshopSegment(
        resource(0x040c, THUMBNAIL),
        iptcOf([80, ARTIST], [116, OWNER], [120, 'SecretCaption']),
      ),
      { marker: 0xfe, payload: latin1('SecretComment') },
      { marker: 0xe5, payload: latin1('SecretVendorBlock') },
      { marker: 0xeb, payload: latin1('JPSecretSignature') },
    ]),
  );
}

export function fullPngChunks(orientation: number, width: number, height: number) {
  const text = (type: string, keyword: string, rest: Buffer) =>
    pngChunk(type, Buffer.concat([latin1(`${keyword}\0`), rest]));
  return [
    text('tEXt', 'Author', latin1(ARTIST)),
    text('iTXt', 'Copyright', latin1(`\0\0\0\0${OWNER}`)),
    text('tEXt', 'Comment', latin1('SecretComment')),
    text('zTXt', 'Location', Buffer.concat([Buffer.of(0), deflateSync(latin1('SecretPlace'))])),
    text('iTXt', 'XML:com.adobe.xmp', latin1(`\0\0\0\0<x tiff:Orientation="${orientation}" t="SecretXmp"/>`)),
    pngChunk('tIME', Buffer.of(7, 234, 1, 2, 3, 4, 5)),
    pngChunk('eXIf', fullExif(orientation, width, height)),
  ];
}
