/** The parameter sets of HEVC (ITU-T H.265): which size a coded image has, whatever the file says of it. */

export const SPS = 33;
/** VPS, SPS and PPS. */
const PARAMETER_SETS = [32, SPS, 34];

export const unitType = (unit) => (unit[0] >> 1) & 63;
export const isParameterSet = (unit) => PARAMETER_SETS.includes(unitType(unit));

/** Reads `hvcC` (ISO/IEC 14496-15, 8.3.3): units that come before those of an image, and the length of their lengths. */
export function readConfiguration(reader) {
  reader.take(21);
  const lengthBytes = (reader.uint(1) & 3) + 1;
  const units = [];
  for (let arrays = reader.uint(1); arrays > 0; arrays--) {
    reader.uint(1);
    for (let count = reader.uint(2); count > 0; count--) units.push(reader.take(reader.uint(2)));
  }
  const found = units.filter((unit) => unit.length > 0 && unitType(unit) === SPS).map(readSps);
  if (found.length === 0) throw new Error('the image has no parameters of its coding');
  return { units, lengthBytes, sets: found };
}

/** Yields the units of an image. */
export function* unitsOf(reader, lengthBytes) {
  while (reader.left > 0) {
    const length = reader.left < lengthBytes ? Infinity : reader.uint(lengthBytes);
    if (length > reader.left) throw new Error('the data of the image are cut off');
    if (length > 0) yield reader.take(length);
  }
}

/** H.265, 7.3.2.2: the size that is coded, the part that is shown, bits of a sample, and whether chroma is there. */
export function readSps(unit) {
  const bits = new Bits(unit.subarray(2, 400));
  bits.skip(4);
  const layers = bits.read(3) + 1;
  bits.skip(1);
  readProfile(bits, layers);
  bits.golomb();
  const chroma = bits.golomb();
  if (chroma > 3) throw new Error('the chroma of the image is unknown');
  if (chroma === 3 && bits.read(1) === 1) throw new Error('the image has separate colour planes');
  const [codedWidth, codedHeight] = [bits.golomb(), bits.golomb()];
  let [left, right, top, bottom] = [0, 0, 0, 0];
  if (bits.read(1) === 1)
    [left, right, top, bottom] = [bits.golomb(), bits.golomb(), bits.golomb(), bits.golomb()];
  const [unitX, unitY] = [chroma === 1 || chroma === 2 ? 2 : 1, chroma === 1 ? 2 : 1];
  const [depth, chromaDepth] = [bits.golomb() + 8, bits.golomb() + 8];
  if (depth > 16 || (chroma > 0 && chromaDepth !== depth))
    throw new Error('the depth of the image is unknown');
  const [width, height] = [codedWidth - unitX * (left + right), codedHeight - unitY * (top + bottom)];
  if (!(width > 0 && height > 0)) throw new Error('the parameters of its coding show no image');
  return { width, height, codedPixels: codedWidth * codedHeight, depth, chroma };
}

/** H.265, 7.3.3. */
function readProfile(bits, layers) {
  bits.skip(88 + 8);
  if (layers === 1) return;
  const parts = Array.from({ length: 8 }, (_, i) => [bits.read(1), bits.read(1), i]);
  for (const [hasProfile, hasLevel, i] of parts)
    if (i < layers - 1) bits.skip((hasProfile ? 88 : 0) + (hasLevel ? 8 : 0));
}

/** The bits of a unit without its emulation prevention bytes. */
class Bits {
  #at = 0;
  constructor(unit) {
    this.bytes = unit.filter((byte, i) => !(byte === 3 && i >= 2 && unit[i - 1] === 0 && unit[i - 2] === 0));
  }

  read(count) {
    let value = 0;
    for (; count > 0; count--, this.#at++)
      value = value * 2 + ((this.bytes[this.#at >> 3] >> (7 - (this.#at & 7))) & 1);
    if (this.#at > this.bytes.length * 8) throw new Error('the parameters of its coding are cut off');
    return value;
  }

  skip(count) {
    this.#at += count;
  }

  /** ue(v), 9.2. */
  golomb() {
    let zeros = 0;
    while (this.read(1) === 0) if (++zeros > 31) throw new Error('the parameters of its coding are damaged');
    return 2 ** zeros - 1 + this.read(zeros);
  }
}
