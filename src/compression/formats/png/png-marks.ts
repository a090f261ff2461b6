/** Finds Android nine-patches by the marks in their frame, reading no more rows than it takes. */
import { createInflate } from 'node:zlib';
import { findData, firstData } from './png-chunks';
import type { CompressionPolicy } from '../../domain/compression-policy';
import { fitsWithin, type Dimensions } from '../../domain/dimensions';
import { isNinePatch, MARK, mayBeTop, type Marks } from '../../domain/nine-patch';
import { filterDistance, listPasses, SAMPLES, unfilter } from './png-raw-rows';
import { isGreyFile, mayBeTransparent, PALETTE, type PngStructure } from './png-structure';

/** Whether it keeps its dimensions and pixels. A nine-patch that exceeds the deployment's largest dimensions is scaled like other images. */
export async function staysNinePatch(
  { structure, dimensions }: { readonly structure: PngStructure; readonly dimensions: Dimensions },
  {
    maxDimensionPx,
    defaultMaxDimensionPx = maxDimensionPx,
  }: Pick<CompressionPolicy, 'maxDimensionPx' | 'defaultMaxDimensionPx'>,
): Promise<boolean> {
  const isKept = fitsWithin(dimensions, { maxDimensionPx: defaultMaxDimensionPx });
  return isKept && (await isNinePatchFile(structure));
}

async function isNinePatchFile(structure: PngStructure) {
  if (firstData(structure.chunks, 'npTc')) return true;
  const marks = mayBeTransparent(structure) ? await readMarks(structure) : undefined;
  return marks !== undefined && isNinePatch(marks);
}

const PIECE_BYTES = 64 * 1024;

/** Returns a mark for each pixel; undefined if the data are damaged, or if the first row rules out a nine-patch: then it stops there. */
export async function readMarks(structure: PngStructure): Promise<Marks | undefined> {
  const { storedSize } = structure;
  const { width, height } = storedSize;
  const marksInRow = markReader(structure);
  let data: Uint8Array | undefined;
  try {
    for await (const { row, y, pass } of storedRows(structure)) {
      const [left, top, stepX, stepY] = pass.from;
      const marks = marksInRow(row, pass.width);
      const line = top + y * stepY;
      if (line === 0 && left === 0 && !mayBeTop(marks)) return undefined;
      data ??= new Uint8Array(width * height);
      for (let i = 0; i < marks.length; i++) data[line * width + left + i * stepX] = marks[i];
    }
  } catch {
    return undefined;
  }
  return data && { ...storedSize, data };
}

/** @throws Error if the data are damaged or too short */
async function* storedRows(structure: PngStructure) {
  const parts = findData(structure.chunks, 'IDAT');
  const inflate = createInflate({ chunkSize: PIECE_BYTES });
  inflate.end(parts.length === 1 ? parts[0] : Buffer.concat(parts));
  const pieces = inflate[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let rest: Buffer = Buffer.alloc(0);
  try {
    for (const pass of listPasses(structure)) {
      let above: Uint8Array = new Uint8Array(pass.rowBytes);
      for (let y = 0; y < pass.height; y++) {
        while (rest.length <= pass.rowBytes) {
          const next = await pieces.next();
          if (next.done) throw new Error('too few rows');
          rest = Buffer.concat([rest, next.value]);
        }
        const row = Uint8Array.from(rest.subarray(1, 1 + pass.rowBytes));
        unfilter(row, above, rest[0], filterDistance(structure));
        rest = rest.subarray(1 + pass.rowBytes);
        above = row;
        yield { row, y, pass };
      }
    }
  } finally {
    inflate.destroy();
  }
}

type Colour = readonly [red: number, green: number, blue: number, alpha: number];

function markReader(structure: PngStructure): (row: Uint8Array, width: number) => Uint8Array {
  const { colourType, bitDepth } = structure;
  const samples = SAMPLES[colourType];
  const most = 2 ** bitDepth - 1;
  const sample = (row: Uint8Array, i: number) =>
    bitDepth === 16
      ? (row[2 * i] << 8) | row[2 * i + 1]
      : (row[(i * bitDepth) >> 3] >> (8 - bitDepth - ((i * bitDepth) & 7))) & most;
  const colourAt = colourReader(structure, most);
  const pixel = new Array<number>(samples);
  return (row, width) => {
    const marks = new Uint8Array(width);
    for (let x = 0; x < width; x++) {
      for (let i = 0; i < samples; i++) pixel[i] = sample(row, x * samples + i);
      marks[x] = classifyMark(colourAt(pixel), colourType === PALETTE ? 255 : most);
    }
    return marks;
  };
}

function classifyMark([red, green, blue, alpha]: Colour, most: number): number {
  if (alpha === 0) return MARK.clear;
  if (alpha !== most || green !== 0 || blue !== 0) return MARK.other;
  return red === 0 ? MARK.black : red === most ? MARK.red : MARK.other;
}

function colourReader(structure: PngStructure, most: number): (samples: readonly number[]) => Colour {
  const { colourType, chunks } = structure;
  const [palette, transparency] = [firstData(chunks, 'PLTE'), firstData(chunks, 'tRNS')];
  if (colourType === PALETTE) {
    return ([index]) => {
      const [red, green, blue] = palette?.subarray(3 * index, 3 * index + 3) ?? [];
      return [red, green, blue, transparency?.[index] ?? 255];
    };
  }
  const key = transparency && Buffer.from(transparency);
  const readAlpha = (colour: readonly number[]) =>
    key?.length === 2 * colour.length && colour.every((value, i) => value === key.readUInt16BE(2 * i))
      ? 0
      : most;
  const [green, blue] = isGreyFile(structure) ? [0, 0] : [1, 2];
  return (pixel) => [pixel[0], pixel[green], pixel[blue], pixel[blue + 1] ?? readAlpha(pixel)];
}
