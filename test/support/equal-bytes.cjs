/** Lets `toEqual` compare bytes at once: one by one, as Jest does, a megabyte takes a second of processor time. */
const isPair = (a, b) =>
  a instanceof Uint8Array && b instanceof Uint8Array && a.constructor === b.constructor;

expect.addEqualityTesters([(a, b) => (isPair(a, b) ? Buffer.compare(a, b) === 0 : undefined)]);
