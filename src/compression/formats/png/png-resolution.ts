/** The resolution of a PNG: its pHYs chunk (W3C PNG, 11.3.4.3). */
import { uint32 } from '../byte-reader';
import { physicalSize, type Resolution } from '../resolution';
import { pngChunk, type PngChunk } from './png-chunks';

const BYTES = 9;
const UNITS: readonly Resolution['unit'][] = ['aspect', 'metre'];

/** Returns the resolution that a PNG states; undefined if it states none. */
export function resolutionOfPng(chunks: readonly PngChunk[]): Resolution | undefined {
  const data = chunks.find(({ type }) => type === 'pHYs')?.data;
  if (data?.length !== BYTES) return undefined;
  const [x, y, unit] = [uint32(data, 0), uint32(data, 4), UNITS.at(data[BYTES - 1])];
  return unit && x && y ? { unit, x, y } : undefined;
}

export function resolutionChunk(resolution: Resolution): PngChunk {
  const [x, y, unit] = physicalSize(resolution);
  const data = Buffer.alloc(BYTES);
  data.writeUInt32BE(x, 0);
  data.writeUInt32BE(y, 4);
  data[BYTES - 1] = unit;
  return pngChunk('pHYs', data);
}
