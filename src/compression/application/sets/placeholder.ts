/** What a page shows until an image has loaded, made of a tiny result. */
import { inflateSync } from 'node:zlib';
import { factsOf } from '../../../contract/formats';
import type { CompressedImage } from '../../domain/compression-report';
import type { PlaceholderKind } from '../../domain/sets/set-plan';
import { readChunks } from '../../formats/png/png-chunks';
import { readPngHeader } from '../../formats/png/png-structure';

/** Returns a colour as `#rrggbb`, or a preview as a data URI. */
export function placeholderOf({ bytes, report }: CompressedImage, kind: PlaceholderKind): string {
  if (kind === 'colour') return colourOf(bytes);
  return `data:${factsOf(report.format).mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
}

/** Returns the CSS of a placeholder. */
export function backgroundOf(placeholder: string): string {
  return placeholder.startsWith('#')
    ? `background:${placeholder}`
    : `background:url(${placeholder}) 0 0/100% 100%`;
}

/** Returns the colour of a PNG of one pixel: no row filter changes it. Alpha is ignored. */
function colourOf(png: Uint8Array): string {
  const { bitDepth, colourType } = readPngHeader(png);
  const chunks = readChunks(png);
  const dataOf = (wanted: string) => chunks.flatMap(({ type, data }) => (type === wanted ? [data] : []));
  const [, first, ...others] = inflateSync(Buffer.concat(dataOf('IDAT')));
  const most = 2 ** bitDepth - 1;
  const value = first >> (8 - bitDepth);
  const palette = dataOf('PLTE').at(0);
  const isColour = colourType === 2 || colourType === 6;
  const grey = Math.round((255 * value) / most);
  const rgb = palette
    ? palette.subarray(3 * value, 3 * value + 3)
    : isColour
      ? [first, ...others].slice(0, 3)
      : [grey, grey, grey];
  return `#${Buffer.from(rgb).toString('hex')}`;
}
