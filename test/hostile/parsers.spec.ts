/**
 * Danger: headers that the parsers do not expect. They run in the service process on untrusted bytes: for any input
 * they must return or throw ImageRefused, soon, and hold no more than a multiple of the file. fast-check generates the
 * files and shrinks failing ones.
 */
import fc from 'fast-check';
import { ImageRefused } from '../../src/contract/image-problems';
import { readJpegFile } from '../../src/compression/formats/jpeg/jpeg-segments';
import { orientationOf } from '../../src/compression/formats/exif-orientation';
import { isPlainSrgb } from '../../src/compression/formats/icc-profile';
import { readSource, readAcceptedHeader } from '../../src/compression/formats/image-header';
import { withMetadata } from '../support/jpeg-metadata';
import { readJpegStructure } from '../../src/compression/formats/jpeg/jpeg-structure';
import { withColourChunks, withoutMetadata } from '../../src/compression/formats/png/png-metadata';
import { readPngStructure } from '../../src/compression/formats/png/png-structure';

const RUNS = { numRuns: 500, seed: 20_251_121 };
const MAX_PIXELS = 268e6;

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
const word = fc.oneof(fc.constantFrom(0, 1, 2, 3, 0x7fff, 0x8000, 0xffff), fc.nat(0xffff));
const wide = fc.oneof(fc.constantFrom(0, 1, 13, 0x7fffffff, 0x80000000, 0xffffffff), fc.nat(300));
const uint = (value: number, size: 2 | 4) => {
  const buffer = Buffer.alloc(size);
  buffer.writeUIntBE(value, 0, size);
  return buffer;
};

const HEADERS = [
  '',
  'Exif\0\0',
  'Exif\0\0MM\0*\0\0\0\x08',
  'ICC_PROFILE\0',
  'ICC_PROFILE\0\x01\x02',
  'MPF\0',
  'Adobe\0',
];
/** A marker, a right or wrong length, a known prefix, and random bytes. */
const segment = fc
  .tuple(
    fc.oneof(fc.constantFrom(0xc0, 0xc2, 0xc4, 0xda, 0xdb, 0xdd, 0xe1, 0xe2, 0xd9), fc.nat(255)),
    fc.option(word),
    fc.constantFrom(...HEADERS),
    bytes(80),
  )
  .map(([marker, length, head, rest]) => {
    const payload = Buffer.concat([Buffer.from(head, 'latin1'), rest]);
    return Buffer.concat([Buffer.from([0xff, marker]), uint(length ?? payload.length + 2, 2), payload]);
  });
const frame = fc
  .tuple(word, word, bytes(20))
  .map(([height, width, rest]) =>
    Buffer.concat([Buffer.from([0xff, 0xc0, 0, 17, 8]), uint(height, 2), uint(width, 2), rest]),
  );
const jpeg = fc
  .array(fc.oneof(segment, frame, bytes(20)), { maxLength: 12 })
  .map((pieces) => Buffer.concat([Buffer.from([0xff, 0xd8, 0xff]), ...pieces]));

const TYPES = [
  'IDAT',
  'PLTE',
  'IEND',
  'IHDR',
  'tRNS',
  'gAMA',
  'cHRM',
  'sRGB',
  'iCCP',
  'cICP',
  'eXIf',
  'acTL',
  'fcTL',
];
/** Mostly with a wrong checksum, for which parsers drop the chunk or not. */
const chunk = fc
  .tuple(
    fc.oneof(fc.constantFrom(...TYPES), fc.string({ minLength: 4, maxLength: 4 })),
    fc.option(wide),
    bytes(80),
  )
  .map(([type, length, data]) =>
    Buffer.concat([
      uint(length ?? data.length, 4),
      Buffer.from(type, 'latin1').subarray(0, 4),
      data,
      uint(0, 4),
    ]),
  );
/** Optional chunks with right checksums, so that they are parsed. */
const soundChunk = fc.tuple(fc.constantFrom(...TYPES.filter((type) => /^[a-z]/.test(type))), bytes(80));
/** Bit depth, colour type, and the methods of compression, filters and interlacing. */
const validKind = fc
  .constantFrom([1, 0], [16, 0], [8, 2], [16, 2], [2, 3], [8, 3], [8, 4], [8, 6])
  .chain(([depth, type]) => fc.nat(1).map((interlace) => Buffer.from([depth, type, 0, 0, interlace])));
const header = fc
  .tuple(wide, wide, fc.oneof(validKind, bytes(5)))
  .map(([width, height, rest]) =>
    Buffer.concat([Buffer.from('\0\0\0\rIHDR', 'latin1'), uint(width, 4), uint(height, 4), rest, uint(0, 4)]),
  );
const png = fc
  .tuple(header, fc.array(fc.oneof(chunk, bytes(20)), { maxLength: 12 }))
  .map(([first, chunks]) => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), first, ...chunks]));

/** Returns the result, or undefined if the file is refused; throws any other error. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ImageRefused)) throw error;
    expect(error.message).toMatch(/^[A-Z0-9].*\.$/);
    return undefined;
  }
}

it('JPEG: reads or refuses any bytes, and keeps no more than the file', () => {
  let read = 0;
  fc.assert(
    fc.property(jpeg, (file) => {
      unlessRefused(() => readAcceptedHeader(file, MAX_PIXELS));
      const found = unlessRefused(() => readSource(file, MAX_PIXELS));
      expect(readJpegFile(file).scans).toBeLessThanOrEqual(file.length / 2);
      if (found?.format !== 'jpeg') return;
      read++;
      const { width, height } = found.dimensions;
      expect(width * height).toBeLessThanOrEqual(MAX_PIXELS);
      expect(Math.min(width, height)).toBeGreaterThan(0);
      expect(found.structure.iccProfile?.length ?? 0).toBeLessThanOrEqual(file.length);
      expect(found.structure.components.length).toBeLessThan(256);
      expect(found.structure.lumaSteps?.length ?? 64).toBe(64);
    }),
    RUNS,
  );
  // Otherwise only refusals would be tested.
  expect(read).toBeGreaterThan(RUNS.numRuns / 20);
});

it('PNG: reads or refuses any bytes, and can read its own output', async () => {
  const { chunk: withChecksum } = await import('../support/png-bombs.mjs');
  let read = 0;
  const sound = fc
    .tuple(header, fc.array(soundChunk, { maxLength: 8 }))
    .map(([first, chunks]) =>
      Buffer.concat([
        Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
        first,
        ...chunks.map(([type, data]) => withChecksum(type, data)),
        withChecksum('IDAT'),
      ]),
    );
  fc.assert(
    fc.property(fc.oneof(png, sound), (file) => {
      unlessRefused(() => readAcceptedHeader(file, MAX_PIXELS));
      unlessRefused(() => readSource(file, MAX_PIXELS));
      const structure = unlessRefused(() => readPngStructure(file));
      if (!structure) return;
      read++;
      expect(structure.chunks.reduce((sum, { raw }) => sum + raw.length, 0)).toBeLessThanOrEqual(
        file.length + 12,
      );
      const plain = withoutMetadata(file, structure);
      expect(plain.length).toBeLessThanOrEqual(file.length + 12);
      expect(readPngStructure(plain).storedSize).toEqual(structure.storedSize);
      expect(readPngStructure(withColourChunks(plain, structure.colourChunks)).storedSize).toEqual(
        structure.storedSize,
      );
    }),
    RUNS,
  );
  expect(read).toBeGreaterThan(RUNS.numRuns / 20);
});

it('EXIF: any bytes have an orientation', () => {
  const tiff = fc
    .tuple(fc.constantFrom('MM\0*', 'II*\0'), wide, bytes(120))
    .map(([order, offset, rest]) => Buffer.concat([Buffer.from(order, 'latin1'), uint(offset, 4), rest]));
  fc.assert(
    fc.property(fc.oneof(bytes(120), tiff), (block) => {
      expect([1, 2, 3, 4, 5, 6, 7, 8]).toContain(orientationOf(block));
    }),
    RUNS,
  );
});

it('ICC: any bytes are a plain sRGB profile or not', () => {
  const profile = fc
    .tuple(wide, fc.array(fc.tuple(fc.constantFrom('rXYZ', 'rTRC', 'gTRC', 'A2B0'), wide, wide)), bytes(60))
    .map(([count, tags, rest]) => {
      const head = Buffer.alloc(128);
      head.write('RGB ', 16, 'latin1');
      head.write('acsp', 36, 'latin1');
      const table = tags.map(([name, start, length]) =>
        Buffer.concat([Buffer.from(name, 'latin1'), uint(start, 4), uint(length, 4)]),
      );
      return Buffer.concat([head, uint(count, 4), ...table, rest]);
    });
  fc.assert(
    fc.property(fc.oneof(bytes(200), profile), (block) => {
      expect(typeof isPlainSrgb(block)).toBe('boolean');
    }),
    RUNS,
  );
});

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
    { ...RUNS, numRuns: 50 },
  );
});
