/** Reads tone curves of ICC profiles (ICC.1:2022, 10.6 and 10.18). */
import type { ToneCurve } from '../domain/tone';
import { text, uint16, uint32 } from './byte-reader';

/** Number of parameters by kind of parametric curve. */
const PARAMETERS = [1, 3, 4, 5, 7];

/** Returns a `curv` or `para` tag as a function on 0..1; undefined for other types and damaged tags. */
export function toneCurve(tag: Uint8Array): ToneCurve | undefined {
  const type = text(tag, 0, 4);
  if (type === 'curv') return sampledCurve(tag);
  return type === 'para' ? parametricCurve(tag) : undefined;
}

function sampledCurve(tag: Uint8Array): ToneCurve | undefined {
  const points = uint32(tag, 8) ?? 0;
  if (12 + points * 2 > tag.length) return undefined;
  if (points < 2) {
    const gamma = points === 0 ? 1 : (uint16(tag, 12) ?? 0) / 256;
    return (x) => x ** gamma;
  }
  return (x) => {
    const position = x * (points - 1);
    const index = Math.min(points - 2, Math.floor(position));
    const left = (uint16(tag, 12 + index * 2) ?? 0) / 65535;
    const right = (uint16(tag, 14 + index * 2) ?? 0) / 65535;
    return left + (right - left) * (position - index);
  };
}

function parametricCurve(tag: Uint8Array): ToneCurve | undefined {
  const kind = uint16(tag, 8) ?? PARAMETERS.length;
  const count = PARAMETERS.at(kind);
  if (count === undefined || tag.length < 12 + count * 4) return undefined;
  const view = new DataView(tag.buffer, tag.byteOffset, tag.length);
  const [g, a = 1, b = 0, ...more] = Array.from(
    { length: count },
    (_, i) => view.getInt32(12 + i * 4) / 65536,
  );
  // Kinds 1 and 2 are constant until their power begins, the others are straight until d.
  const [slope, begin, above, below] =
    kind < 3
      ? [0, -b / a, more.at(0) ?? 0, more.at(0) ?? 0]
      : [more[0], more[1], more.at(2) ?? 0, more.at(3) ?? 0];
  return (x) => (x >= begin ? (a * x + b) ** g + above : slope * x + below);
}
