import assert from 'node:assert/strict';
import { load, writtenBy } from '../target-tools.mjs';

const { exifResolution, exifToKeep, holdsMoreThan, readOrientation } = load('compression/formats/exif.js');
const { asciiField, rationalField, shortField, TYPE, writeDirectory, writeTiff } = load(
  'compression/formats/tiff.js',
);

const appleNote = Buffer.concat([
  Buffer.from('Apple iOS\0\0\x01MM', 'latin1'),
  writeDirectory([{ ...rationalField(0x21, 2), type: TYPE.signedRational }], 14),
]);
const resolution = [0x011a, 0x011b].map((tag) => rationalField(tag, 300));

export const seeds = () =>
  [
    writeTiff([shortField(0x0112, 6), ...resolution, shortField(0x0128, 2)]),
    writeTiff([
      asciiField(0x010f, 'Apple'),
      asciiField(0x8298, 'Owner'),
      {
        tag: 0x8769,
        directory: [
          asciiField(0x9003, '2026:01:02 03:04:05'),
          { tag: 0x927c, type: TYPE.undefined, value: appleNote },
          shortField(0xa002, 90),
          { tag: 0xa005, directory: [asciiField(1, 'R03'), shortField(0x1001, 90)] },
        ],
      },
      { tag: 0x8825, directory: [asciiField(0x1d, '2026:01:02'), shortField(2, 7)] },
    ]),
  ].flatMap((block) => [0, 1, 2, 3, 4].map((keep) => Buffer.concat([Buffer.of(keep, 0xd8, 0), block])));

export function fuzz(data) {
  const block = data.subarray(3);
  const written = writtenBy(data);
  const original = Buffer.from(block);
  assert([1, 2, 3, 4, 5, 6, 7, 8].includes(readOrientation(block)));
  const stated = exifResolution(block);
  assert(!stated || (stated.x > 0 && stated.y > 0));
  const needsAppleHeadroom = (data[2] & 2) === 2;
  const kept = exifToKeep(block, { ...written, needsAppleHeadroom, isRequired: (data[2] & 4) === 4 });
  assert.deepEqual(Buffer.from(block), original, 'The source has changed.');
  if (written.keep === 'all' && kept) assert(kept.length <= Math.max(block.length, 40));
  if (written.keep === 'all' || !kept) return;
  assert(!holdsMoreThan(written.keep, kept) || needsAppleHeadroom, 'A new block holds more than it should.');
  assert.equal(readOrientation(kept), written.orientation);
}
