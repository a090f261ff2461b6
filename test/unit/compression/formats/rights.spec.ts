/** Author, owner and rights, wherever a file names them, are written afresh as EXIF and XMP. */
import { deflateSync } from 'node:zlib';
import { jpegBlocks } from '../../../../src/compression/formats/jpeg/metadata/jpeg-blocks';
import type { JpegSegment } from '../../../../src/compression/formats/jpeg/jpeg-segments';
import { pngChunk, type PngChunk } from '../../../../src/compression/formats/png/png-chunks';
import { pngBlocks } from '../../../../src/compression/formats/png/png-metadata';
import { asciiField, writeTiff } from '../../../../src/compression/formats/tiff';
import { statesPositions, xmpTexts } from '../../../../src/compression/formats/xmp';
import { exifSegment } from '../../../support/jpeg-metadata';
import { iptcOf, photoshopSegment, rawProfile, type DataSet } from '../../../support/metadata-files';
import { latin1, xmpSegment } from '../../../support/phone-files';

type Keep = 'copyright' | 'all' | 'none';
const written = { orientation: 1, dimensions: { width: 4, height: 4 } } as const;
const iptc = (...sets: readonly DataSet[]) => photoshopSegment(iptcOf(...sets));
const textChunk = (keyword: string, value: string) => pngChunk('tEXt', latin1(`${keyword}\0${value}`));
const xmpOf = ({ blocks }: { readonly blocks: { readonly xmp?: Uint8Array } }) =>
  blocks.xmp && Buffer.from(blocks.xmp).toString();
const expectXmp = (result: Parameters<typeof xmpOf>[0], ...parts: readonly string[]) => {
  for (const part of parts) expect(xmpOf(result)).toContain(part);
};
const ofJpeg = (segments: readonly JpegSegment[], keep: Keep = 'copyright') =>
  jpegBlocks(segments, { ...written, keep });
const ofPng = (chunks: readonly PngChunk[], keep: Keep = 'copyright') =>
  pngBlocks(chunks, { ...written, keep });
const list = (kind: string, ...items: readonly string[]) =>
  `<rdf:${kind}>${items.map((item) => `<rdf:li>${item}</rdf:li>`).join('')}</rdf:${kind}>`;
const creator = (...names: readonly string[]) => `<dc:creator>${list('Seq', ...names)}</dc:creator>`;
const rights = (name: string) =>
  `<dc:rights><rdf:Alt><rdf:li xml:lang="x-default">${name}</rdf:li></rdf:Alt></dc:rights>`;

it('IPTC becomes dc:creator, photoshop:Credit and dc:rights, and Artist and Copyright', () => {
  const studio = iptc(
    [80, 'A. Müller & Söhne'],
    [110, 'The agency'],
    [116, latin1('\xa9 Müller')],
    [120, 'Text'],
  );
  const result = ofJpeg([studio]);
  const credit = '<photoshop:Credit>The agency</photoshop:Credit>';
  expectXmp(result, creator('A. Müller &amp; Söhne'), credit, rights('© Müller'));
  expect(xmpOf(result)).not.toContain('Text');
  const exif = Buffer.from(result.blocks.exif!).toString();
  expect([exif.includes('A. Müller & Söhne\0'), exif.includes('© Müller\0')]).toEqual([true, true]);
  expect(result.removed).toEqual([]);
  expect(ofJpeg([studio], 'none')).toEqual({ blocks: {}, removed: [] });
  // With all, a caption should stay.
  expect(ofJpeg([studio], 'all').removed).toEqual(['kept-metadata']);
  expectXmp(ofJpeg([studio], 'all'), '© Müller');
});

it('all sources count, and nothing is said twice', () => {
  const exif = exifSegment(writeTiff([asciiField(0x013b, 'Ann; Bo'), asciiField(0x8298, 'Owner\0Editor')]));
  const xmp = xmpSegment(
    `<rdf:Description xmpRights:WebStatement='https://a.example/?b&amp;c'>${creator('Bo', 'Cy')}${rights('&#xA9; Owner')}<xmpRights:Owner>${list('Bag', 'Firm')}</xmpRights:Owner></rdf:Description>`,
  );
  expectXmp(
    ofJpeg([exif, xmp, iptc([80, 'Ann'], [80, 'Di'])]),
    creator('Ann', 'Bo', 'Cy', 'Di'),
    rights('Owner; Editor; © Owner'),
    '<xmpRights:WebStatement>https://a.example/?b&amp;c</xmpRights:WebStatement>',
    list('Bag', 'Firm'),
    'xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/"',
  );
});

it('a packet may declare other prefixes', () => {
  const xmp = xmpSegment(
    `<rdf:Description xmlns:xapRights="http://ns.adobe.com/xap/1.0/rights/" xapRights:Marked="True" xmlns:a='http://purl.org/dc/elements/1.1/'>${creator('See a:b').replaceAll('dc:', 'a:')}<xapRights:WebStatement>https://a.example</xapRights:WebStatement></rdf:Description>`,
  );
  expectXmp(
    ofJpeg([xmp]),
    creator('See a:b'),
    '<xmpRights:Marked>True</xmpRights:Marked>',
    '<xmpRights:WebStatement>https://a.example</xmpRights:WebStatement>',
  );
});

it('keeps where to license an image, all languages of its rights, and the author that Windows names', () => {
  const languages = list('Alt', 'All rights')
    .replace('<rdf:li>', '<rdf:li xml:lang="x-default">')
    .replace('</rdf:Alt>', '<rdf:li xml:lang="de">Alle Rechte</rdf:li></rdf:Alt>');
  const licensor = (attributes: string, url: string) =>
    `<plus:Licensor><rdf:Seq><rdf:li ${attributes}>${url}</rdf:li></rdf:Seq></plus:Licensor>`;
  const url = '<plus:LicensorURL>https://a.example/buy</plus:LicensorURL>';
  const licence = '<cc:license rdf:resource="https://creativecommons.org/licenses/by/4.0/"/>';
  const written = licensor('rdf:parseType="Resource"', url);
  for (const licensed of [written, licensor('plus:LicensorURL="https://a.example/buy"', '')]) {
    const windows = { tag: 0x9c9d, type: 1, value: Buffer.from('Zoë\0', 'utf16le') };
    const result = ofJpeg([
      exifSegment(writeTiff([windows])),
      xmpSegment(
        `<rdf:Description><dc:rights>${languages}</dc:rights>${licence}${licensed}</rdf:Description>`,
      ),
    ]);
    expectXmp(result, `<dc:rights>${languages}</dc:rights>`, licence, written, creator('Zoë'));
    const exif = Buffer.from(result.blocks.exif!).toString();
    expect([exif.includes('Zoë\0'), exif.includes('All rights\0')]).toEqual([true, true]);
  }
});

it('with all, a packet stays as it is unless it states positions', () => {
  const packet = xmpSegment('<rdf:Description dc:format="image/jpeg" dc:source="x"/>');
  expect(ofJpeg([packet], 'all').blocks.xmp).toEqual(packet.payload.subarray(29));
  const half = { ...written, keep: 'all', reshaped: { applied: 1, scale: 0.5, isCropped: false } } as const;
  expect(jpegBlocks([packet], half).removed).toEqual([]);
  const positions = xmpSegment(
    `<rdf:Description GPano:FullPanoWidthPixels="8">${rights('Owner')}</rdf:Description>`,
  );
  const kept = jpegBlocks([positions], half);
  expect([kept.removed, xmpOf(kept)?.includes('GPano')]).toEqual([['xmp-positions'], false]);
  expectXmp(kept, rights('Owner'));
});

it.each([
  ['tiff:Orientation="6"', true],
  ['<exif:PixelXDimension>800', true],
  ['<mwg-rs:Regions>', true],
  ['crs:HasCrop="False"', true],
  ['<Iptc4xmpExt:ImageRegion>', true],
  ['<xmp:Thumbnails>', true],
  ['xmlns:GPano="http://ns.google.com/photos/1.0/panorama/"', false],
  ['crs:Exposure2012="1" exif:GPSLatitude="1,2N"', false],
])('%s states positions or sizes: %s', (packet, expected) => {
  expect(statesPositions(Buffer.from(` ${packet}`))).toBe(expected);
});

it('texts are bounded, so that they fit into a segment of a JPEG', () => {
  const many = Array.from({ length: 5000 }, (_, i) => [80, `&${i}`] as const);
  expect(ofJpeg([iptc(...many, [116, 'Owner'])]).blocks.xmp!.length).toBeLessThan(65_000);
  expect(xmpTexts(' dc:rights="'.repeat(300_000), 'dc:rights').length).toBeLessThan(2);
  expect(xmpTexts('<dc:creator><rdf:li>'.repeat(200_000), 'dc:creator')).toEqual([]);
});

describe('PNG text', () => {
  const packed = pngChunk('zTXt', Buffer.concat([latin1('Author\0\0'), deflateSync(latin1('Ann'))]));
  const utf8 = pngChunk(
    'iTXt',
    Buffer.concat([latin1('Copyright\0\x01\0\0\0'), deflateSync(Buffer.from('© Ann'))]),
  );

  it.each([
    ['tEXt', [textChunk('Author', 'Ann'), textChunk('Copyright', '\xa9 Ann')]],
    ['zTXt and iTXt', [packed, utf8]],
    ["ImageMagick's copy of IPTC", [rawProfile('iptc', iptcOf([80, 'Ann'], [116, '© Ann']))]],
  ])('%s becomes dc:creator and dc:rights', (_, chunks) => {
    for (const keep of ['copyright', 'all'] as const) {
      const result = ofPng(chunks, keep);
      expectXmp(result, creator('Ann'), rights('© Ann'));
      expect(result.removed).toEqual([]);
    }
    expect(ofPng(chunks, 'none')).toEqual({ blocks: {}, removed: [] });
  });

  it('EXIF that is stored as text becomes EXIF', () => {
    const block = Buffer.concat([latin1('Exif\0\0'), writeTiff([asciiField(0x013b, 'Ann')])]);
    for (const keep of ['copyright', 'all'] as const)
      expect(Buffer.from(ofPng([rawProfile('exif', block)], keep).blocks.exif ?? []).includes('Ann')).toBe(
        true,
      );
  });

  it('what cannot be carried is reported, and what cannot be read is left out', () => {
    expect(ofPng([pngChunk('zTXt', latin1('Copyright\0\0damaged'))]).blocks).toEqual({});
    expect(ofPng([textChunk('Title', 'A title')]).removed).toEqual([]);
    expect(ofPng([textChunk('Title', 'A title')], 'all').removed).toEqual(['kept-metadata']);
  });
});
