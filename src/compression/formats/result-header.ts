/** Reads the headers of files in any built-in format of results, before anything is decoded. */
import { resultBySignature, type BuiltInFormat } from '../../contract/formats';
import { notAResult } from '../../contract/comparison-problems';
import type { Dimensions } from '../domain/dimensions';
import { readAvifHeader } from './avif/avif-header';
import { readAcceptedHeader, refuseManyPixels } from './image-header';
import type { StillHeader } from './still-header';
import { readWebpHeader } from './webp/webp-file';

/** The compiler reports a format without a row. */
const READERS: Readonly<Record<Exclude<BuiltInFormat, 'jpeg' | 'png'>, (bytes: Uint8Array) => StillHeader>> =
  { webp: readWebpHeader, avif: readAvifHeader };

export type OtherResult = { readonly format: keyof typeof READERS } & StillHeader;

/**
 * Returns format and size, and for a WebP or AVIF all of its header. The size of a JPG or PNG is as stored.
 * @throws ImageRefused when the file is in no format of results, is damaged, or declares more than `maxPixels` pixels
 */
export function readResultHeader(
  bytes: Uint8Array,
  maxPixels: number,
): OtherResult | { readonly format: 'jpeg' | 'png'; readonly dimensions: Dimensions } {
  const format = resultBySignature(bytes);
  if (!format) throw notAResult(bytes);
  if (format === 'jpeg' || format === 'png') return readAcceptedHeader(bytes, maxPixels);
  const header = READERS[format](bytes);
  refuseManyPixels(header.dimensions, maxPixels);
  return { format, ...header };
}
