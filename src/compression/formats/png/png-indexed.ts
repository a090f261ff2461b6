/** Palette PNGs: rows of 1, 2, 4 or 8 bits an index, with their palette and its alpha. */
import { colourCount, type IndexedImage } from '../../domain/palette/indexed-image';
import { findData, pngChunk, headerChunk, pngOfChunks } from './png-chunks';
import { inflatedRows } from './png-raw-rows';
import { PALETTE, readPngStructure } from './png-structure';

export type BitDepth = 1 | 2 | 4 | 8;

/** Reads a palette image as quantisers write it: 8 bits per index, unfiltered, not interlaced. Returns undefined for any other PNG. */
export function readIndexedPng(png: Uint8Array): IndexedImage | undefined {
  const structure = readPngStructure(png);
  const { storedSize, bitDepth, colourType, isInterlaced, chunks } = structure;
  if (colourType !== PALETTE || bitDepth !== 8 || isInterlaced) return undefined;
  const { width, height } = storedSize;
  const rows = inflatedRows(structure, findData(chunks, 'IDAT'));
  if (!rows) return undefined;
  for (let at = 0; at < rows.length; at += width + 1) if (rows[at] !== 0) return undefined;

  const colours = Buffer.concat(findData(chunks, 'PLTE'));
  const alphas = Buffer.concat(findData(chunks, 'tRNS'));
  const palette = new Uint8Array((colours.length / 3) * 4);
  for (let index = 0; index * 3 < colours.length; index++) {
    palette.set(colours.subarray(index * 3, index * 3 + 3), index * 4);
    palette[index * 4 + 3] = index < alphas.length ? alphas[index] : 255;
  }
  return { width, height, palette, rows };
}

export function leastDepth(image: IndexedImage): BitDepth {
  const count = colourCount(image);
  return count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8;
}

export function packedRows({ width, height, rows }: IndexedImage, depth: BitDepth): Uint8Array {
  if (depth === 8) return rows;
  const perByte = 8 / depth;
  const length = Math.ceil(width / perByte);
  const packed = new Uint8Array((length + 1) * height);
  let to = 0;
  for (let y = 0; y < height; y++) {
    const end = (y + 1) * (width + 1);
    to++;
    for (let from = end - width; from < end; from += perByte) {
      let byte = 0;
      // Past the end of the row, the bits are 0.
      for (let i = from; i < from + perByte; i++) byte = (byte << depth) | (i < end ? rows[i] : 0);
      packed[to++] = byte;
    }
  }
  return packed;
}

export function pngOfIndexed(image: IndexedImage, depth: number, deflated: Uint8Array): Uint8Array {
  const { palette } = image;
  const colours = palette.filter((_, i) => i % 4 !== 3);
  const alphas = palette.filter((_, i) => i % 4 === 3);
  const lastVeiled = alphas.findLastIndex((alpha) => alpha < 255);
  return pngOfChunks([
    headerChunk(image, depth, PALETTE),
    pngChunk('PLTE', colours),
    ...(lastVeiled < 0 ? [] : [pngChunk('tRNS', alphas.subarray(0, lastVeiled + 1))]),
    pngChunk('IDAT', deflated),
  ]);
}
