/** Generates numbers for fields of files: mostly limits, where parsers fail. */
import fc from 'fast-check';

const EDGES = [
  0, 1, 2, 7, 8, 63, 64, 127, 128, 254, 255, 256, 0x7fff, 0x8000, 0xfffe, 0xffff, 0x7fffffff, 0x80000000,
];

const fieldValue = () => fc.oneof(fc.constantFrom(...EDGES), fc.nat(255), fc.nat(65_535), fc.nat(0xffffffff));

const place = () => fc.nat(1_000_000);

/** Generates one mutation: its position, value, and bytes to insert. */
export const mutationOf = (kinds) =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    part: place(),
    offset: place(),
    value: fieldValue(),
    bytes: fc.uint8Array({ maxLength: 64 }),
  });
