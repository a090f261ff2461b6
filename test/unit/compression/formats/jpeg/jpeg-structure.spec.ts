/** Reads metadata of JPEGs that this repository's tests write. */
import fc from 'fast-check';
import { readJpegStructure } from '../../../../../src/compression/formats/jpeg/jpeg-structure';
import { withMetadata } from '../../../../support/jpeg-metadata';

it('reads the profile and orientation that it has written into a JPEG', () => {
  const file = Buffer.from([
    0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 9, 0, 7, 1, 1, 0x11, 0, 0xff, 0xda, 0, 2, 0xff, 0xd9,
  ]);
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 200_000 }),
      fc.integer({ min: 1, max: 8 }),
      (icc, turn) => {
        const orientation = turn as 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;
        const structure = readJpegStructure(withMetadata(file, { iccProfile: icc, orientation }));
        expect(structure.orientation).toBe(orientation);
        expect(Buffer.compare(structure.iccProfile ?? Buffer.alloc(0), icc)).toBe(0);
      },
    ),
    { numRuns: 50, seed: 20_251_121 },
  );
});
