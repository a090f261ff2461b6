/** Reads the header of an image in any format of results, which is to be compared. Runs in the service process as well. */
import type { BuiltInFormat, Formats, ResultFormatName } from '../../contract/formats';
import { notAResult } from '../../contract/comparison-problems';
import type { Dimensions } from '../domain/dimensions';
import { readAvifHeader } from './avif/avif-header';
import { readAcceptedHeader, refuseManyPixels } from './image-header';
import type { StillHeader } from './still-header';
import { readWebpHeader } from './webp/webp-file';

const READERS: Readonly<Record<Exclude<BuiltInFormat, 'jpeg' | 'png'>, (bytes: Uint8Array) => StillHeader>> =
  { webp: readWebpHeader, avif: readAvifHeader };

type OtherFormat = keyof typeof READERS;
export type OtherResult = { readonly format: OtherFormat } & StillHeader;
export type AddedResult = { readonly addedFormat: string };

/** For a WebP or AVIF, the whole header. @throws ImageRefused as readAcceptedHeader does */
export function readResultHeader(
  bytes: Uint8Array,
  maxPixels: number,
  formats: Formats,
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
