/** Packs the data of a palette PNG anew, without changing depth, palette or pixels: for results that must keep every sample. */
import type { Effort } from '../../domain/compression-policy';
import { findData, pngChunk, pngOfChunks } from '../../formats/png/png-chunks';
import { inflatedRows, plainRows, withoutFilters, withBestFilters } from '../../formats/png/png-raw-rows';
import { readPngStructure, type PngHeader } from '../../formats/png/png-structure';
import type { PngCodec } from '../codecs.port';
import { estimatedBytes } from './png-codings';

export async function repacked(png: Uint8Array, codec: PngCodec, effort: Effort): Promise<Uint8Array> {
  const structure = readPngStructure(png);
  const { chunks } = structure;
  const stored = findData(chunks, 'IDAT');
  const smaller = await smallestData(structure, stored, codec, effort);
  if (!smaller || smaller === stored) return png;
  const others = chunks.filter(({ type }) => type !== 'IDAT');
  return pngOfChunks([...others, pngChunk('IDAT', Buffer.concat(smaller))]);
}

/** @param data parts of one zlib stream */
async function smallestData(header: PngHeader, data: readonly Uint8Array[], codec: PngCodec, effort: Effort) {
  const stored = inflatedRows(header, data);
  const rows = stored && withoutFilters(header, stored);
  if (!rows) return undefined;
  const deflated = await codec.deflate(mostDeflatable(header, stored, rows), effort);
  const isSmaller = deflated.length < data.reduce((sum, { length }) => sum + length, 0);
  return isSmaller && holds(header, deflated, rows) ? [deflated] : data;
}

function mostDeflatable(header: PngHeader, stored: Uint8Array, rows: Uint8Array) {
  return [rows, stored, withBestFilters(header, rows)]
    .map((way) => ({ way, size: estimatedBytes(way) }))
    .reduce((best, other) => (other.size < best.size ? other : best)).way;
}

function holds(header: PngHeader, data: Uint8Array, rows: Uint8Array) {
  const unfiltered = plainRows(header, [data]);
  return unfiltered !== undefined && Buffer.compare(unfiltered, rows) === 0;
}
