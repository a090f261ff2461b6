/** Danger: a JPEG without a frame header; the service process searches it in every upload. */
import { readAcceptedHeader } from '../../src/compression/formats/image-header';

const MAX_PIXELS = 268e6;
/** Start of image, a frame of 16 x 16 grey pixels, start of scan. */
const PLAIN = 'ffd8ffc0000b080010001001011100ffda0008010100003f00';

it.each([
  ['fill bytes', Buffer.alloc(200_000, 0xff), 'stray bytes'],
  ['markers without a payload', Buffer.from('ffd0'.repeat(200_000), 'hex'), 'stray bytes'],
  ['empty segments', Buffer.from('ffe50002'.repeat(1_100), 'hex'), 'segments'],
  ['empty tables', Buffer.from('ffc40002'.repeat(1_100), 'hex'), 'segments'],
])('a JPEG whose frame comes after too many %s is refused', (_, filling, named) => {
  const plain = Buffer.from(PLAIN, 'hex');
  const frame = Buffer.concat([plain.subarray(0, 2), filling, plain.subarray(2)]);
  expect(() => readAcceptedHeader(plain, MAX_PIXELS)).not.toThrow();
  expect(() => readAcceptedHeader(frame, MAX_PIXELS)).toThrow(`too many ${named}`);
});

it('accepts a JPEG with 4 KB of padding and the segments of a profile', () => {
  const plain = Buffer.from(PLAIN, 'hex');
  const filling = Buffer.concat([Buffer.alloc(4096, 0xff), Buffer.from('ffe20002'.repeat(300), 'hex')]);
  const padded = Buffer.concat([plain.subarray(0, 2), filling, plain.subarray(2)]);
  expect(() => readAcceptedHeader(padded, MAX_PIXELS)).not.toThrow();
});
