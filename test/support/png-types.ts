/** Every kind of PNG (W3C PNG, third edition, table 11.1), as in Willem van Schaik's PngSuite. */
import { deflateSync } from 'node:zlib';
import { uint16s, uint32s } from '../../src/compression/formats/bytes';
import { pngChunk, pngOfChunks } from '../../src/compression/formats/png/png-chunks';

const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };
/** First column and row, and steps, of the seven passes of Adam7. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

export interface PngKind {
  readonly colourType: 0 | 2 | 3 | 4 | 6;
  readonly bitDepth: 1 | 2 | 4 | 8 | 16;
  readonly isInterlaced?: boolean;
  readonly hasTransparentColour?: boolean;
}

const DEPTHS = { 0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16] } as const;

const nameOf = ({ colourType, bitDepth, isInterlaced, hasTransparentColour }: PngKind) =>
  `colour type ${colourType}, ${bitDepth} bits${isInterlaced ? ', interlaced' : ''}${hasTransparentColour ? ', tRNS' : ''}`;

/** For `it.each`. */
export const PNG_KINDS = ([0, 2, 3, 4, 6] as const).flatMap((colourType) =>
  DEPTHS[colourType].flatMap((bitDepth) =>
    [false, true].flatMap((isInterlaced) =>
      (colourType < 4 ? [false, true] : [false]).map((hasTransparentColour) => {
        const kind: PngKind = { colourType, bitDepth, isInterlaced, hasTransparentColour };
        return [nameOf(kind), kind] as const;
      }),
    ),
  ),
);

/** Returns the sample of a channel, 0 to 2 ** bitDepth - 1. */
type Sample = (x: number, y: number, channel: number, bitDepth: number) => number;

/** An image of a kind in which every row has another filter; the colour of the first pixel is the transparent one. */
export function pngOfKind(kind: PngKind, width = 37, height = 29, drawn: Sample = sample): Buffer {
  const { colourType, bitDepth, isInterlaced, hasTransparentColour } = kind;
  const passes = isInterlaced ? ADAM7 : [[0, 0, 1, 1]];
  const rows = passes.flatMap((pass) => passRows(kind, drawn, [width, height], pass));
  const paletteSize = 2 ** Math.min(8, bitDepth);
  const palette = Buffer.from(Array.from({ length: paletteSize * 3 }, (_, i) => (i * 89) % 256));
  const header = [uint32s(width, height), Buffer.of(bitDepth, colourType, 0, 0, isInterlaced ? 1 : 0)];
  const chunks = [
    pngChunk('IHDR', Buffer.concat(header)),
    ...(colourType === 3 ? [pngChunk('PLTE', palette)] : []),
    ...(hasTransparentColour ? [pngChunk('tRNS', transparency(kind, paletteSize, drawn))] : []),
    pngChunk('IDAT', deflateSync(Buffer.concat(rows), { level: 1 })),
  ];
  return Buffer.from(pngOfChunks(chunks));
}

/** The colour of the first pixel; in palettes the first colours are transparent by degrees. */
function transparency({ colourType, bitDepth }: PngKind, paletteSize: number, drawn: Sample): Buffer {
  if (colourType === 3) return Buffer.from(Array.from({ length: paletteSize / 2 }, (_, i) => (i * 70) % 256));
  return uint16s(...Array.from({ length: SAMPLES[colourType] }, (_, c) => drawn(0, 0, c, bitDepth)));
}

function passRows(
  { colourType, bitDepth }: PngKind,
  drawn: Sample,
  [width, height]: readonly number[],
  [x0, y0, dx, dy]: readonly number[],
) {
  const columns = Math.max(0, Math.ceil((width - x0) / dx));
  const lines = Math.max(0, Math.ceil((height - y0) / dy));
  if (columns === 0) return [];
  const channels = SAMPLES[colourType];
  const rowBytes = Math.ceil((columns * channels * bitDepth) / 8);
  const step = Math.max(1, (channels * bitDepth) / 8);
  let above: Uint8Array = new Uint8Array(rowBytes);
  return Array.from({ length: lines }, (_, line) => {
    const row = new Uint8Array(rowBytes);
    for (let i = 0; i < columns * channels; i++) {
      const x = x0 + Math.floor(i / channels) * dx;
      const value = drawn(x, y0 + line * dy, i % channels, bitDepth);
      if (bitDepth === 16) {
        row[i * 2] = value >> 8;
        row[i * 2 + 1] = value & 0xff;
      } else row[(i * bitDepth) >> 3] |= value << (8 - bitDepth - ((i * bitDepth) & 7));
    }
    const filtered = filter(row, above, line % 5, step);
    above = row;
    return filtered;
  });
}

/** Gradients and steps, with 0 in the upper left corner; 16-bit samples use their lower bits. */
function sample(x: number, y: number, channel: number, bitDepth: number) {
  if (x < 6 && y < 6) return 0;
  const most = 2 ** bitDepth - 1;
  return Math.round(((x * (7 + channel * 5) + y * 11 + (x >> 3) * 40) * most) / 700) % (most + 1);
}

/** Returns the type of the filter and the filtered row. */
function filter(row: Uint8Array, above: Uint8Array, type: number, step: number): Buffer {
  const filtered = Buffer.alloc(row.length + 1);
  filtered[0] = type;
  for (let i = 0; i < row.length; i++) {
    const a = i >= step ? row[i - step] : 0;
    const b = above[i];
    const c = i >= step ? above[i - step] : 0;
    filtered[i + 1] = row[i] - predicted(type, a, b, c);
  }
  return filtered;
}

function predicted(type: number, a: number, b: number, c: number) {
  switch (type) {
    case 0:
      return 0;
    case 1:
      return a;
    case 2:
      return b;
    case 3:
      return (a + b) >> 1;
    default:
      return paeth(a, b, c);
  }
}

function paeth(a: number, b: number, c: number) {
  const pa = Math.abs(b - c);
  const pb = Math.abs(a - c);
  const pc = Math.abs(a + b - 2 * c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}
