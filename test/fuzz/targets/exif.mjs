/** EXIF blocks and their TIFF directories. */
import assert from 'node:assert/strict';
import { load, writtenBy } from '../target-tools.mjs';

const { exifRights, exifToKeep } = load('compression/formats/exif.js');
const { updatedExif } = load('compression/formats/exif-update.js');
const { orientationOf } = load('compression/formats/exif-fields.js');
const { exifResolution } = load('compression/formats/exif-fields.js');
const { isPrivateExif } = load('compression/formats/private-exif.js');
const { asciiField, rational, shortField, TYPE, writeDirectory, writeTiff } = load(
  'compression/formats/tiff.js',
);

const appleNote = Buffer.concat([
  Buffer.from('Apple iOS\0\0\x01MM', 'latin1'),
  writeDirectory([{ tag: 0x21, type: TYPE.signedRational, value: rational(2) }], 14),
]);
const resolution = [0x011a, 0x011b].map((tag) => ({ tag, type: TYPE.rational, value: rational(300) }));

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
          ...[0xa20e, 0xa20f].map((tag) => ({ tag, type: TYPE.rational, value: rational(40.5) })),
          { tag: 0xa214, type: TYPE.short, value: Buffer.alloc(8, 1) },
        ],
      },
      { tag: 0x8825, directory: [asciiField(0x1d, '2026:01:02'), shortField(2, 7)] },
    ]),
  ].flatMap((block) => [0, 1, 2, 3, 4].map((keep) => Buffer.concat([Buffer.from([keep, 0xd8, 0]), block])));

export function fuzz(data) {
  const block = data.subarray(3);
  const written = writtenBy(data);
  const original = Buffer.from(block);
  assert([1, 2, 3, 4, 5, 6, 7, 8].includes(orientationOf(block)));
  isPrivateExif(block, (data[2] & 1) === 1);
  exifRights(block);
  const stated = exifResolution(block);
  assert(!stated || (stated.x > 0 && stated.y > 0));
  const kept = exifToKeep(block, {
    ...written,
    needsAppleHeadroom: (data[2] & 2) === 2,
    isRequired: (data[2] & 4) === 4,
  });
  const updated = updatedExif(block, written);
  assert.deepEqual(Buffer.from(block), original, 'The source has changed.');
  assert(updated.length <= block.length);
  if (!kept || written.keep === 'all') return;
  // Only an orientation, colours and the headroom may be longer than a tiny source.
  assert(kept.length <= Math.max(block.length, 200));
  if (written.keep === 'none') assert(!isPrivateExif(kept, false) || (data[2] & 2) === 2);
  assert.equal(orientationOf(kept), written.orientation);
}
