/** Writes small ICC profiles (ICC.1:2022) with the curve of sRGB and given primaries, for formats that cannot state a curve. */
import { uint32s } from './bytes';
import type { Primaries } from './icc-profile';

const HEADER_BYTES = 128;
const D50 = [0.9642, 1, 0.8249];
/** Bradford's matrix, from XYZ to cone responses. */
const CONES = [
  [0.8951, 0.2664, -0.1614],
  [-0.7502, 1.7135, 0.0367],
  [0.0389, -0.0685, 1.0296],
];
const SRGB_CURVE = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];

type Matrix = readonly (readonly number[])[];

/** Returns the primaries adapted to D50 by Bradford's method; undefined if there is no such colour space. */
export function solvePrimaries(chromaticities: readonly number[]): Primaries | undefined {
  const [white, ...colours] = [0, 2, 4, 6].map((i) => toXyz(chromaticities[i], chromaticities[i + 1]));
  const unscaled = transposed(colours);
  const scale = times(inverse(unscaled), white);
  const [from, to] = [times(CONES, white), times(CONES, D50)];
  const adapted = (xyz: readonly number[]) =>
    times(
      inverse(CONES),
      times(CONES, xyz).map((response, i) => (response * to[i]) / from[i]),
    );
  const primaries = colours.map((xyz, i) => adapted(xyz.map((value) => value * scale[i])));
  const isValid = primaries.flat().every(Number.isFinite) && scale.every((factor) => factor > 0);
  return isValid ? (primaries as unknown as Primaries) : undefined;
}

export function rgbProfile(primaries: Primaries): Uint8Array {
  const curve = tag('para', Buffer.concat([Buffer.from([0, 3, 0, 0]), fixedPoints(SRGB_CURVE)]));
  const words = tag('mluc', localizedName());
  const [red, green, blue] = primaries.map((xyz) => tag('XYZ ', fixedPoints(xyz)));
  const white = tag('XYZ ', fixedPoints(D50));
  // Tags may share their data.
  const tags: [names: string[], data: Buffer][] = [
    [['desc', 'cprt'], words],
    [['wtpt'], white],
    [['rXYZ'], red],
    [['gXYZ'], green],
    [['bXYZ'], blue],
    [['rTRC', 'gTRC', 'bTRC'], curve],
  ];
  const count = tags.flatMap(([names]) => names).length;
  let at = HEADER_BYTES + 4 + count * 12;
  const table = tags.flatMap(([names, data]) => {
    const place = uint32s(at, data.length);
    at += data.length;
    return names.flatMap((name) => [Buffer.from(name), place]);
  });
  return Buffer.concat([header(at), uint32s(count), ...table, ...tags.map(([, data]) => data)]);
}

function header(length: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt32BE(length);
  bytes.writeUInt32BE(0x0430_0000, 8);
  bytes.write('mntrRGB XYZ ', 12, 'latin1');
  // The date must be valid; results must not depend on the time.
  [2000, 1, 1].forEach((value, i) => bytes.writeUInt16BE(value, 24 + i * 2));
  bytes.write('acsp', 36, 'latin1');
  fixedPoints(D50).copy(bytes, 68);
  return bytes;
}

function tag(type: string, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${type}\0\0\0\0`, 'latin1'), content]);
}

/** One record: its language, the length of the name, and where it begins. The zero pads the tag. */
function localizedName(): Buffer {
  const record = [uint32s(1, 12), Buffer.from('enUS'), uint32s(6, 28)];
  return Buffer.concat([...record, Buffer.from('RGB\0', 'utf16le').swap16()]);
}

function fixedPoints(values: readonly number[]): Buffer {
  const limit = 32_767;
  return uint32s(
    ...values.map((value) => Math.round(Math.min(limit, Math.max(-limit, value)) * 65_536) >>> 0),
  );
}

function toXyz(x: number, y: number) {
  return [x / y, 1, (1 - x - y) / y];
}

function times(matrix: Matrix, vector: readonly number[]) {
  return matrix.map((row) => row.reduce((sum, value, i) => sum + value * vector[i], 0));
}

function transposed(matrix: Matrix) {
  return [0, 1, 2].map((i) => matrix.map((row) => row[i]));
}

function inverse([[a, b, c], [d, e, f], [g, h, i]]: Matrix) {
  const adjugate = [
    [e * i - f * h, c * h - b * i, b * f - c * e],
    [f * g - d * i, a * i - c * g, c * d - a * f],
    [d * h - e * g, b * g - a * h, a * e - b * d],
  ];
  const determinant = a * adjugate[0][0] + b * adjugate[1][0] + c * adjugate[2][0];
  return adjugate.map((row) => row.map((value) => value / determinant));
}
