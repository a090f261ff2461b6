import { COM, readJpegHead } from '../../../../../src/compression/formats/jpeg/jpeg-segments';
import {
  withoutLateMetadata,
  withoutSegments,
  withSegments,
} from '../../../../../src/compression/formats/jpeg/segment-writer';
import { photoJpeg } from '../../../../support/images';
import { segment } from '../../../../support/jpeg-metadata';

const note = segment(COM, Buffer.from('note'));
const isComment = ({ marker }: { marker: number }) => marker === COM;

it('puts segments behind the JFIF header, or at the start, and takes them out again', async () => {
  const bare = await photoJpeg(16, 16);
  const jfif = segment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1'));
  for (const [place, file] of [
    bare,
    Buffer.concat([bare.subarray(0, 2), jfif, bare.subarray(2)]),
  ].entries()) {
    const more = withSegments(file, [{ marker: COM, payload: Buffer.from('note') }]);
    expect(readJpegHead(more).segments.findIndex(isComment)).toBe(place);
    expect(withoutSegments(more, isComment)).toEqual(file);
  }
});

it('removes the fill bytes of a segment, which would turn a stray byte behind it into a marker', async () => {
  const jpeg = await photoJpeg(16, 16);
  const filled = Buffer.concat([
    jpeg.subarray(0, 2),
    Buffer.of(0xff, 0xff),
    note,
    Buffer.of(0xe0),
    jpeg.subarray(2),
  ]);
  expect(withoutSegments(filled, isComment)).toEqual(
    Buffer.concat([jpeg.subarray(0, 2), Buffer.of(0xe0), jpeg.subarray(2)]),
  );
});

it('removes metadata between scans', async () => {
  const jpeg = await photoJpeg(48, 32, { progressive: true });
  const at = jpeg.lastIndexOf(Buffer.of(0xff, 0xda));
  expect(withoutLateMetadata(Buffer.concat([jpeg.subarray(0, at), note, jpeg.subarray(at)]))).toEqual(jpeg);
});
