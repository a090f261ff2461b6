/** Converts 16 bits to 8. Where v = 256 h, decoders that drop the low byte show h; those that round, h − 1 from 128 on. */
import { deflateSync } from 'node:zlib';
import type { ToneTables } from '../../domain/tone';
import { findData, firstData, isSound, pngChunk, pngOfChunks } from './png-chunks';
import { bytesOfRows, plainRows, rowsIn, SAMPLES } from './png-raw-rows';
import { readPngHeader, readPngStructure, type PngHeader, type PngStructure } from './png-structure';

/** The colour type with alpha is the one without it plus 4 (W3C PNG, 11.2.1). */
const WITH_ALPHA = 4;

/**
 * Returns undefined if the image has 8 bits, if its data are damaged, or if rounding is needed and not allowed.
 * A transparent colour (tRNS) becomes an alpha channel, because other colours may be rounded to it.
 * @param makeTones returns the new colour samples, instead of rounding; alpha is rounded
 */
export function withEightBits(
  png: Uint8Array,
  mayRound: boolean,
  makeTones?: () => ToneTables,
): Uint8Array | undefined {
  if (readPngHeader(png).bitDepth !== 16) return undefined;
  const structure = readPngStructure(png);
  // A decoder has to refuse a chunk with a wrong checksum.
  if (!structure.chunks.every(isSound)) return undefined;
  const rows = plainRows(structure, findData(structure.chunks, 'IDAT'));
  if (!rows) return undefined;
  const tones = makeTones?.();
  const isExact = !tones && needsOnlyEight(structure, rows);
  if (!isExact && !mayRound) return undefined;
  const samples = SAMPLES[structure.colourType];
  // Decoders ignore tRNS in an image with an alpha channel, and disagree about a tRNS of another length.
  const key = structure.colourType < WITH_ALPHA ? firstData(structure.chunks, 'tRNS') : undefined;
  if (key && key.length !== samples * 2) return undefined;
  const eight = reduced(structure, rows, { samples, key, isRounded: !isExact, tones });
  return written(structure, eight, key !== undefined);
}

/** Returns the nearest 8-bit sample to a 16-bit one: v ÷ 257, rounded, as in libpng (png_set_scale_16). */
function roundedToEight(sample: number): number {
  return (sample * 255 + 32_895) >>> 16;
}

export function allRoundedToEight(samples: Uint16Array): Uint8Array {
  // Uint8Array.from() takes fifty times as long, and 30 bytes per sample.
  const out = new Uint8Array(samples.length);
  for (let i = 0; i < out.length; i++) out[i] = roundedToEight(samples[i]);
  return out;
}

function needsOnlyEight(header: PngHeader, rows: Uint8Array) {
  let [isRepeated, isPadded] = [true, true];
  for (const { row } of rowsIn(header, rows)) {
    for (let i = 0; i < row.length; i += 2) {
      isRepeated &&= row[i] === row[i + 1];
      isPadded &&= row[i + 1] === 0;
      if (!isRepeated && !isPadded) return false;
    }
  }
  return true;
}

interface Reduction {
  /** Per pixel. */
  readonly samples: number;
  /** With 16 bits per sample. */
  readonly key: Uint8Array | undefined;
  readonly isRounded: boolean;
  readonly tones: ToneTables | undefined;
}

function reduced(
  header: PngHeader,
  rows: Uint8Array,
  { samples, key, isRounded, tones }: Reduction,
): Uint8Array {
  const pixelBytes = samples * 2;
  const colours = samples < 3 ? 1 : 3;
  const colourType = header.colourType + (key ? WITH_ALPHA : 0);
  const out = new Uint8Array(bytesOfRows({ ...header, bitDepth: 8, colourType }));
  let to = 0;
  for (const { row } of rowsIn(header, rows)) {
    to++;
    for (let pixel = 0; pixel < row.length; pixel += pixelBytes) {
      for (let c = 0, i = pixel; c < samples; c++, i += 2) {
        const sample = (row[i] << 8) | row[i + 1];
        if (tones && c < colours) out[to++] = tones[c][sample];
        else out[to++] = isRounded ? roundedToEight(sample) : row[i];
      }
      if (key) out[to++] = isColour(row, pixel, key) ? 0 : 255;
    }
  }
  return out;
}

function isColour(row: Uint8Array, at: number, colour: Uint8Array) {
  for (let i = 0; i < colour.length; i++) if (row[at + i] !== colour[i]) return false;
  return true;
}

function written({ chunks }: PngStructure, rows: Uint8Array, hasNewAlpha: boolean) {
  const [header, ...rest] = chunks;
  const data = Buffer.from(header.data);
  data[8] = 8;
  if (hasNewAlpha) data[9] += WITH_ALPHA;
  const kept = rest.filter(({ type }) => !['tRNS', 'IDAT'].includes(type));
  const image = pngChunk('IDAT', deflateSync(rows, { level: 1 }));
  return pngOfChunks([pngChunk('IHDR', data), ...kept, image]);
}
