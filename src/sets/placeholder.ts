/** What stands in the place of an image until it is loaded: its mean colour, or a preview of a few bytes. */
import { findData } from '../compression/formats/png/png-chunks';
import { inflateSync } from 'node:zlib';
import { FORMATS } from '../contract/formats';
import type { PlaceholderKind } from './set-plan';
import { srgbSample } from '../compression/domain/tone';
import { pngColours } from '../compression/formats/png/png-shown-colours';
import { mayBeTransparent, readPngStructure } from '../compression/formats/png/png-structure';
import { hasAlpha, readWebpChunks } from '../compression/formats/webp/webp-file';

/** A row of one pixel: its filter, and RGBA of 16 bits. A worker that is taken over could send what inflates without end. */
const MAX_ROW_BYTES = 9;

/** `#rrggbb` or a data URI; null for a transparent image, behind which it would stay visible. */
export function makePlaceholder(bytes: Uint8Array, kind: PlaceholderKind): string | null {
  if (kind === 'colour') return averageColour(bytes);
  if (hasAlpha(readWebpChunks(bytes))) return null;
  return `data:${FORMATS.webp.mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
}

export function cssBackground(placeholder: string): string {
  return placeholder.startsWith('#')
    ? `background:${placeholder}`
    : `background:url(${placeholder}) 0 0/100% 100%`;
}

/** Returns the colour that viewers show of a PNG of one pixel: no row filter changes it. Primaries are ignored. */
function averageColour(png: Uint8Array) {
  const structure = readPngStructure(png);
  if (mayBeTransparent(structure)) return null;
  const { bitDepth, colourType, chunks } = structure;
  const data = Buffer.concat(findData(chunks, 'IDAT'));
  const row = inflateSync(data, { maxOutputLength: MAX_ROW_BYTES }).subarray(1);
  const sample = (i: number) =>
    bitDepth === 16 ? row.readUInt16BE(i * 2) / 65_535 : (row[i] >> (8 - bitDepth)) / (2 ** bitDepth - 1);
  const isColour = colourType === 2 || colourType === 6;
  const index = row[0] >> (8 - bitDepth);
  const palette = findData(chunks, 'PLTE')
    .at(0)
    ?.subarray(3 * index, 3 * index + 3);
  const { curves } = pngColours(structure) ?? {};
  const rgb = [0, 1, 2].map((c) => {
    const stored = palette && colourType === 3 ? palette[c] / 255 : sample(isColour ? c : 0);
    return Math.round(255 * (curves ? srgbSample(curves[c](stored)) : stored));
  });
  return `#${Buffer.from(rgb).toString('hex')}`;
}
