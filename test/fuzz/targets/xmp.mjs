/** XMP packets, which are read and changed as text. */
import assert from 'node:assert/strict';
import { load, writtenBy } from '../target-tools.mjs';

const { withoutFormat } = load('compression/formats/xmp.js');
const { hasProperty, withProperties, xmpToKeep } = load('compression/formats/xmp-parts.js');
const { withCarriedTexts, decodedText, xmpDate } = load('compression/formats/carried-texts.js');
const { describesOnlyWhatFollows, directoryOnly } = load('compression/formats/jpeg/kept-behind.js');

const packet = (properties) =>
  `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description ${properties}</rdf:Description></rdf:RDF></x:xmpmeta>`;

export const seeds = () =>
  [
    packet(
      'tiff:Orientation="6" exif:PixelXDimension="90" tiff:XResolution="300/1" tiff:YResolution="300/1">',
    ),
    packet(
      'xmp:CreateDate="2026-01-02T03:04:05Z"><dc:rights><rdf:Alt><rdf:li xml:lang="x-default">Owner</rdf:li></rdf:Alt></dc:rights>',
    ),
    packet(
      '><dc:creator><rdf:Seq><rdf:li>A</rdf:li><rdf:li>B</rdf:li></rdf:Seq></dc:creator><xmp:Thumbnails><a/></xmp:Thumbnails>',
    ),
    packet(
      'GPano:CroppedAreaLeftPixels="8" exif:GPSLatitude="1,2N"><mwg-rs:Regions stDim:w="90" stDim:unit="pixel"/>',
    ),
    packet(
      'GCamera:MotionPhoto="1"><Container:Directory><rdf:Seq><rdf:li><Container:Item Item:Semantic="GainMap" Item:Length="9"/></rdf:li></rdf:Seq></Container:Directory>',
    ),
  ].flatMap((text) =>
    [0, 1, 2, 3, 4].map((keep) => Buffer.from(`${String.fromCharCode(keep)}\xd8${text}`, 'latin1')),
  );
export const words = [
  '<rdf:li>',
  '</rdf:li>',
  '<dc:rights>',
  '</dc:rights>',
  'photoshop:Credit="',
  '</rdf:RDF>',
  'dc:format="',
  'Item:Mime=',
  'rbUnit="pixel"',
  '<Iptc4xmpExt:ImageRegion>',
  'exif:SubjectArea',
];

export function fuzz(data) {
  const source = data.subarray(2);
  const written = writtenBy(data);
  const kept = xmpToKeep(source, written);
  if (kept && written.keep !== 'all') {
    assert(kept.length <= source.length);
    assert.deepEqual(xmpToKeep(kept, written), kept, 'The kept parts of the kept parts differ.');
  }
  withoutFormat(source);
  hasProperty(source, 'dc:rights');
  const text = decodedText(source.subarray(0, 200));
  const date = xmpDate(text);
  assert(date === undefined || /^\d{4}-/.test(date) || /^[+-]\d{6}-/.test(date));
  const { blocks } = withCarriedTexts(
    { xmp: source },
    { texts: [{ property: 'dc:rights', value: text }], hasMore: false },
  );
  assert(blocks.xmp);
  const more = withProperties(source, new Map([['dc:creator', ['x']]]));
  assert(!more || more.length > source.length);
  const payload = Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0', 'latin1'), source]);
  for (const directory of directoryOnly(payload)) assert(describesOnlyWhatFollows(directory));
}
