import {
  APP0,
  COM,
  EOI,
  SOS,
  laterSegments,
  readJpegFile,
  readJpegHead,
} from '../../../../../src/compression/formats/jpeg/jpeg-segments';
import { segment } from '../../../../support/jpeg-metadata';

const START = Buffer.of(0xff, 0xd8);
const END = Buffer.of(0xff, EOI);
const comment = segment(COM, Buffer.from('a'));
const scan = Buffer.concat([
  segment(SOS, Buffer.of(1, 1, 0, 0, 63, 0)),
  Buffer.of(1, 0xff, 0, 2, 0xff, 0xd3, 3),
]);
const file = (...parts: Buffer[]) => Buffer.concat([START, ...parts]);

it('skips stray and fill bytes before a marker, as decoders do', () => {
  const bytes = file(
    Buffer.of(7, 7, 0xff),
    comment,
    Buffer.of(0),
    segment(APP0, Buffer.from('b')),
    scan,
    END,
  );
  const { segments, scanHeader } = readJpegHead(bytes);
  expect(segments.map(({ marker, payload }) => [marker, String.fromCharCode(...payload)])).toEqual([
    [COM, 'a'],
    [APP0, 'b'],
  ]);
  expect(scanHeader).toEqual(Buffer.of(1, 1, 0, 0, 63, 0));
});

it('finds the end of the image behind scans, stuffed zeros, restart markers and late metadata', () => {
  const image = file(scan, comment, scan, END);
  const found = readJpegFile(Buffer.concat([image, Buffer.from('behind')]));
  expect(found).toMatchObject({ scans: 2, hasLateMetadata: true, end: image.length, hasEndMarker: true });
  expect([...laterSegments(image, found)].map(({ marker }) => marker)).toEqual([SOS, COM, SOS]);
  expect(readJpegFile(image.subarray(0, -2))).toMatchObject({ end: image.length - 2, hasEndMarker: false });
});

it.each([
  ['segments', file(Buffer.alloc(200_000, segment(COM, Buffer.of())))],
  ['stray bytes', file(Buffer.alloc(400_000, Buffer.of(0xff, 1)))],
])('refuses more %s than any real file has', (what, bytes) => {
  expect(() => readJpegHead(bytes)).toThrow(what);
});

it('reads a segment that is cut off as far as it goes', () => {
  const [cut] = readJpegHead(file(segment(COM, Buffer.alloc(100))).subarray(0, 20)).segments;
  expect([cut.payload.length, cut.end]).toEqual([14, 106]);
});
