/**
 * Lets `toEqual` and its relatives compare bytes at once: one by one, as Jest does by itself, they take a second of processor time
 * for each megabyte. Nothing else becomes equal by it, nor different.
 */
const isPair = (a, b) =>
  a instanceof Uint8Array && b instanceof Uint8Array && a.constructor === b.constructor;

expect.addEqualityTesters([(a, b) => (isPair(a, b) ? Buffer.compare(a, b) === 0 : undefined)]);
