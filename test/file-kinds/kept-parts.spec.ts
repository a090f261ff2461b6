/** Files keep exactly the parts of their metadata that are asked for: rights from everywhere, dates and position from EXIF. */
import sharp from 'sharp';
import { compressImage } from '../../src/compression/application/recipe';
import { METADATA_PARTS, type MetadataPart } from '../../src/compression/domain/compression-policy';
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { loadEngine } from '../../src/compression/infrastructure/codecs/engines';
import { policy } from '../support/default-policy';
import { graphicPng, photoJpeg } from '../support/images';
import { exifSegment } from '../support/jpeg-metadata';
import { iptcOf, photoshopSegment } from '../support/metadata-files';
import { tiffBlock } from '../support/tiff-block';
import { latin1, xmpSegment } from '../support/phone-files';

const rational = (...values: number[]) => values.flatMap((value) => [value * 1000, 1000]);

/** Values of EXIF by part; `when` belongs to the position and tells the date. */
const EXIF = {
  copyright: ['Exif Artist', 'Exif Owner'],
  creation: ['2026:01:02 03:04:05', '+07:30'],
  location: ['WGS-84-exif'],
  when: '2026:01:03',
  private: ['SecretModel', 'SecretSerial', 'SecretLens'],
} as const;

const exif = (isLittleEndian: boolean) =>
  tiffBlock(isLittleEndian, [
    { tag: 0x0110, ascii: EXIF.private[0] },
    { tag: 0x0112, shorts: [6] },
    { tag: 0x013b, ascii: EXIF.copyright[0] },
    { tag: 0x8298, ascii: EXIF.copyright[1] },
    {
      tag: 0x8769,
      directory: [
        { tag: 0x9003, ascii: EXIF.creation[0] },
        { tag: 0x9011, ascii: EXIF.creation[1] },
        { tag: 0xa431, ascii: EXIF.private[1] },
        { tag: 0xa434, ascii: EXIF.private[2] },
      ],
    },
    {
      tag: 0x8825,
      directory: [
        { tag: 0x01, ascii: 'N' },
        { tag: 0x02, rationals: rational(52, 22, 17) },
        { tag: 0x03, ascii: 'E' },
        { tag: 0x04, rationals: rational(4, 53, 29) },
        { tag: 0x12, ascii: EXIF.location[0] },
        { tag: 0x1d, ascii: EXIF.when },
      ],
    },
  ]);

const XMP = ['Xmp Creator &amp; Co', 'Xmp Rights', 'https://example.com/xmp-licence'];
const DESCRIPTION = `<rdf:Description rdf:about="" xmp:CreatorTool="SecretTool" xmp:CreateDate="2026-05-06" xmpRights:WebStatement='${XMP[2]}'>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">SecretTitle</rdf:li></rdf:Alt></dc:title>
<dc:creator><rdf:Seq><rdf:li>${XMP[0]}</rdf:li></rdf:Seq></dc:creator>
<dc:rights>
 <rdf:Alt><rdf:li xml:lang="x-default">${XMP[1]}</rdf:li></rdf:Alt>
</dc:rights></rdf:Description>`;
const IPTC = 'Iptc Byline';
const iptc = photoshopSegment(iptcOf([55, '20260707'], [80, IPTC], [120, 'SecretCaption']));

const TEXT = 'Png Author';
interface Sample {
  readonly make: () => Promise<Uint8Array>;
  readonly own: string;
}

const jpeg = async (isLittleEndian: boolean) => {
  const segments = [exifSegment(exif(isLittleEndian)), xmpSegment(DESCRIPTION), iptc];
  return withSegments(await photoJpeg(160, 120, { quality: 97 }), segments);
};
const png = () => {
  const text = (keyword: string, value: string) => pngChunk('tEXt', latin1(`${keyword}\0${value}`));
  const packet = xmpSegment(DESCRIPTION).payload.subarray(29);
  const chunks = [
    text('Author', TEXT),
    text('Creation Time', '2026-07-08'),
    text('Description', 'SecretText'),
    pngChunk('iTXt', Buffer.concat([latin1('XML:com.adobe.xmp\0\0\0\0\0'), packet])),
    pngChunk('eXIf', exif(false)),
  ];
  return Promise.resolve(withChunks(graphicPng(160, 120), chunks));
};
const SAMPLES: Readonly<Record<string, Sample>> = {
  'JPEG, little-endian': { make: () => jpeg(true), own: IPTC },
  'JPEG, big-endian': { make: () => jpeg(false), own: IPTC },
  PNG: { make: png, own: TEXT },
};
const KEPT: readonly (readonly MetadataPart[])[] = [
  [],
  ['copyright'],
  ['creation'],
  ['location'],
  ['creation', 'location'],
  METADATA_PARTS,
];

describe.each(Object.entries(SAMPLES))('%s', (_, { make, own }) => {
  describe.each(['same', 'webp', 'avif'] as const)('to %s', (format) => {
    it.each(KEPT.map((keep) => [keep.join(', ') || 'nothing', keep] as const))(
      'keeps %s',
      async (__, keep) => {
        const engine = await loadEngine('native');
        const asked = { ...policy, formats: [format], keepMetadata: keep };
        const { bytes } = await compressImage(await make(), engine, asked);
        const text = Buffer.from(bytes).toString('latin1');
        for (const part of METADATA_PARTS)
          for (const value of EXIF[part])
            expect([value, text.includes(value)]).toEqual([value, keep.includes(part)]);
        const { exif: block, xmpAsString = '', orientation } = await sharp(bytes).metadata();
        for (const name of [...EXIF.copyright, ...XMP, own])
          expect([name, xmpAsString.includes(name)]).toEqual([name, keep.includes('copyright')]);
        expect(text).not.toMatch(/Secret|2026-05|20260707|2026-07/);
        expect(text.includes(EXIF.when)).toBe(keep.includes('location') && keep.includes('creation'));
        // 52° 22′ 17″ as three rationals in big-endian order.
        const latitude = Buffer.from(Uint32Array.from(rational(52, 22, 17)).buffer)
          .swap32()
          .toString('latin1');
        expect(text.includes(latitude)).toBe(keep.includes('location'));
        expect([block !== undefined, orientation ?? 1]).toEqual([keep.length > 0, 1]);
      },
    );
  });
});
