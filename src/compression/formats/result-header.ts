/** Reads the headers of files in formats of results, before anything is decoded. */
import type { BuiltInFormat, ResultFormatName } from '../../contract/formats';
import { notAResult } from '../../contract/comparison-problems';
import type { ResultFormats } from '../../contract/result-formats';
import type { Dimensions } from '../domain/dimensions';
import { readAvifHeader } from './avif/avif-header';
import { readAcceptedHeader, refuseManyPixels } from './image-header';
import type { StillHeader } from './still-header';
import { readWebpHeader } from './webp/webp-file';

/** The compiler reports a format without a row. */
const READERS: Readonly<Record<Exclude<BuiltInFormat, 'jpeg' | 'png'>, (bytes: Uint8Array) => StillHeader>> =
  { webp: readWebpHeader, avif: readAvifHeader };

type OtherFormat = keyof typeof READERS;
export type OtherResult = { readonly format: OtherFormat } & StillHeader;
/** A file of a format that a package adds: only the package can read it. */
export type AddedResult = { readonly addedFormat: string };

/**
 * Returns format and size, and for a WebP or AVIF all of its header. The size of a JPG or PNG is as stored.
 * @throws ImageRefused when the file is in no format of results, is damaged, or declares more than `maxPixels` pixels
 */
export function readResultHeader(
  bytes: Uint8Array,
  maxPixels: number,
  formats: ResultFormats,
): AddedResult | OtherResult | { readonly format: 'jpeg' | 'png'; readonly dimensions: Dimensions } {
  const format = formats.bySignature(bytes);
  if (!format) throw notAResult(formats, bytes);
  if (format === 'jpeg' || format === 'png') return readAcceptedHeader(bytes, maxPixels);
  if (!isOther(format)) return { addedFormat: format };
  const header = READERS[format](bytes);
  refuseManyPixels(header.dimensions, maxPixels);
  return { format, ...header };
}

function isOther(format: ResultFormatName): format is OtherFormat {
  return Object.hasOwn(READERS, format);
}
