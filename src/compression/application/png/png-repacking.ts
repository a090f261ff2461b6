/** Packs the data of a palette PNG anew, without changing depth, palette or pixels: for results that must keep every sample. */
import type { Effort } from '../../domain/compression-policy';
import { findData, withImageData } from '../../formats/png/png-chunks';
import { inflatedRows, plainRows, withoutFilters, withBestFilters } from '../../formats/png/png-raw-rows';
import { readPngStructure, type PngHeader } from '../../formats/png/png-structure';
import type { PngCodec } from '../codecs.port';
import { estimatedBytes } from './png-codings';

export async function repacked(png: Uint8Array, codec: PngCodec, effort: Effort): Promise<Uint8Array> {
  const structure = readPngStructure(png);
  const data = findData(structure.chunks, 'IDAT');
  const stored = inflatedRows(structure, data);
  const rows = stored && withoutFilters(structure, stored);
  if (!rows) return png;
  const deflated = await codec.deflate(mostDeflatable(structure, stored, rows), effort);
  const isSmaller = deflated.length < data.reduce((sum, { length }) => sum + length, 0);
  return isSmaller && holds(structure, deflated, rows) ? withImageData(structure.chunks, deflated) : png;
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
