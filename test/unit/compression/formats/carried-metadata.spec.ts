/** Rights that only IPTC or PNG text have are carried over into XMP when the image gets another format. */
import { type CarriedText, xmpDate } from '../../../../src/compression/formats/carried-texts';
import { jpegBlocks } from '../../../../src/compression/formats/jpeg/jpeg-blocks';
import type { JpegSegment } from '../../../../src/compression/formats/jpeg/jpeg-segments';
import { pngBlocks } from '../../../../src/compression/formats/png/png-blocks';
import { pngChunk, type PngChunk } from '../../../../src/compression/formats/png/png-chunks';
import { asciiField, writeTiff } from '../../../../src/compression/formats/tiff';
import { deflateSync } from 'node:zlib';
import { exifSegment } from '../../../support/jpeg-metadata';
import { xmpSegment } from '../../../support/phone-files';

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const written = { orientation: 1, dimensions: { width: 4, height: 4 } } as const;
type DataSet = readonly [number, Uint8Array | string];
const resources = (...sets: readonly DataSet[]) => {
  const data = Buffer.concat(
    sets.flatMap(([number, text]) => {
      const value = Buffer.from(text);
      return [Buffer.from([0x1c, 2, number, 0, value.length]), value];
    }),
  );
  const head = latin1('8BIM\x04\x04\0\0\0\0\0\0');
  head.writeUInt32BE(data.length, 8);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
};
const iptc = (...sets: readonly DataSet[]): JpegSegment => ({
  marker: 0xed,
  payload: Buffer.concat([latin1('Photoshop 3.0\0'), resources(...sets)]),
});
const textChunk = (keyword: string, value: string) => pngChunk('tEXt', latin1(`${keyword}\0${value}`));
const xmpOf = ({ blocks }: { readonly blocks: { readonly xmp?: Uint8Array } }) =>
  blocks.xmp && Buffer.from(blocks.xmp).toString('utf8');
const ofJpeg = (segments: readonly JpegSegment[], keep: 'copyright' | 'all' | 'none' = 'copyright') =>
  jpegBlocks(segments, { ...written, keep });
const ofPng = (chunks: readonly PngChunk[], keep: 'copyright' | 'all' | 'none' = 'copyright') =>
  pngBlocks(chunks, { ...written, keep });
const creator = (name: string) => `<dc:creator><rdf:Seq><rdf:li>${name}</rdf:li></rdf:Seq></dc:creator>`;
const rights = (name: string) =>
  `<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">${name}</rdf:li></rdf:Alt></dc:rights>`;

describe('IPTC', () => {
  const studio = iptc(
    [80, 'A. Müller & Söhne'],
    [110, 'The agency'],
    [116, '(c) 2026 Studio'],
    [120, 'Caption'],
  );

  it('rights become dc:creator, photoshop:Credit and dc:rights', () => {
    const result = ofJpeg([studio]);
    for (const part of [
      creator('A. Müller &amp; Söhne'),
      '<photoshop:Credit>The agency</photoshop:Credit>',
      rights('(c) 2026 Studio'),
    ])
      expect(xmpOf(result)).toContain(part);
    expect(xmpOf(result)).not.toContain('Caption');
    expect(result.isComplete).toBe(true);
  });

  it('in Latin-1, too', () => {
    expect(xmpOf(ofJpeg([iptc([116, latin1('\xa9 Müller')])]))).toContain(rights('© Müller'));
  });

  it('nothing without being asked, and a report of what all cannot carry', () => {
    expect(ofJpeg([studio], 'none')).toEqual({ blocks: {}, isComplete: true });
    expect(ofJpeg([studio], 'all').isComplete).toBe(false);
    expect(xmpOf(ofJpeg([studio], 'all'))).toContain('(c) 2026 Studio');
    expect(ofJpeg([iptc([116, 'x'])], 'all').isComplete).toBe(true);
  });

  it('what EXIF or XMP say already is not said twice', () => {
    const exif = exifSegment(writeTiff([asciiField(0x8298, '(c) 2026 Studio')]));
    expect(ofJpeg([exif, iptc([116, '(c) 2026 Studio'])]).blocks.xmp).toBeUndefined();
    const xmp = xmpSegment(`<rdf:Description>${rights('A &amp; B')}</rdf:Description>`);
    const merged = ofJpeg([xmp, iptc([116, 'A & B'], [80, 'Ann'])]);
    expect(xmpOf(merged)?.match(/<dc:rights>/g)).toHaveLength(1);
    expect(xmpOf(merged)).toContain(creator('Ann'));
    expect(merged.isComplete).toBe(true);
  });

  it('what XMP contradicts or has no room for is reported', () => {
    const xmp = xmpSegment(`<rdf:Description>${rights('Other')}</rdf:Description>`);
    expect(ofJpeg([xmp, iptc([116, 'Studio'])]).isComplete).toBe(false);
    const unreadable = { marker: 0xe1, payload: latin1('http://ns.adobe.com/xap/1.0/\0no packet') };
    expect(ofJpeg([unreadable, iptc([116, 'Studio'])], 'all').isComplete).toBe(false);
  });

  it('the name of the old format goes', () => {
    const xmp = xmpSegment('<rdf:Description dc:format="image/jpeg" dc:source="x"/>');
    expect(xmpOf(ofJpeg([xmp], 'all'))).toContain('<rdf:Description dc:source="x"/>');
  });

  it('dates, for those who ask for them', () => {
    const dated = iptc([55, '20260707'], [60, '101112+0200'], [80, 'Ann']);
    const kept = jpegBlocks([dated], { ...written, keep: ['creation'] });
    expect(xmpOf(kept)).toContain('<photoshop:DateCreated>2026-07-07T10:11:12+02:00</photoshop:DateCreated>');
    expect(xmpOf(kept)).not.toContain('Ann');
  });
});

describe('PNG text', () => {
  const raw = (keyword: string, bytes: Buffer) =>
    pngChunk(
      'zTXt',
      Buffer.concat([
        latin1(`Raw profile type ${keyword}\0\0`),
        deflateSync(latin1(`\n${keyword}\n${String(bytes.length).padStart(8)}\n${bytes.toString('hex')}\n`)),
      ]),
    );

  it.each([
    ['tEXt', [textChunk('Author', 'Ann'), textChunk('Copyright', '\xa9 Ann')]],
    [
      'zTXt and iTXt',
      [
        pngChunk('zTXt', Buffer.concat([latin1('Author\0\0'), deflateSync(latin1('Ann'))])),
        pngChunk('iTXt', Buffer.concat([latin1('Copyright\0\x01\0\0\0'), deflateSync(Buffer.from('© Ann'))])),
      ],
    ],
    ["ImageMagick's copy of IPTC", [raw('iptc', resources([80, 'Ann'], [116, '© Ann']))]],
  ] as const)('%s becomes dc:creator and dc:rights', (_, chunks) => {
    for (const keep of ['copyright', 'all'] as const) {
      const result = ofPng(chunks, keep);
      expect(xmpOf(result)).toContain(creator('Ann'));
      expect(xmpOf(result)).toContain(rights('© Ann'));
      expect(result.isComplete).toBe(true);
    }
    expect(ofPng(chunks, 'none')).toEqual({ blocks: {}, isComplete: true });
  });

  it('EXIF that is stored as text becomes EXIF', () => {
    const block = Buffer.concat([latin1('Exif\0\0'), writeTiff([asciiField(0x013b, 'Ann')])]);
    const { exif } = ofPng([raw('exif', block)]).blocks;
    expect(Buffer.from(exif ?? []).includes('Ann')).toBe(true);
  });

  it('what cannot be carried is reported', () => {
    const damaged = pngChunk('zTXt', latin1('Copyright\0\0damaged'));
    expect(ofPng([damaged]).isComplete).toBe(false);
    expect(ofPng([textChunk('Title', 'A title')]).isComplete).toBe(true);
    expect(ofPng([textChunk('Title', 'A title')], 'all').isComplete).toBe(false);
    expect(ofPng([textChunk('Software', 'A program')], 'all').isComplete).toBe(true);
  });
});

it.each<readonly [string, string | undefined]>([
  ['2026-05-06T07:08:09+02:00', '2026-05-06T07:08:09+02:00'],
  ['2026:05:06 07:08:09', '2026-05-06T07:08:09'],
  ['Wed, 06 May 2026 07:08:09 GMT', '2026-05-06T07:08:09.000Z'],
  ['6 May', undefined],
])('the date %s is %s in XMP', (text, expected) => {
  const property: CarriedText['property'] = 'xmp:CreateDate';
  expect(xmpDate(text)).toBe(expected);
  const kept = pngBlocks([textChunk('Creation Time', text)], { ...written, keep: ['creation'] });
  expect([xmpOf(kept)?.includes(`<${property}>${expected}<`) ?? false, kept.isComplete]).toEqual([
    expected !== undefined,
    expected !== undefined,
  ]);
});
