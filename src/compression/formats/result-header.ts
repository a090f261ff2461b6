/** Reads the header of an image in any format of results, which is to be compared. Runs in the service process as well. */
import { sourceFormat, type Formats, type ResultFormatName } from '../../contract/formats';
import { notAResult } from '../../contract/comparison-problems';
import type { Dimensions } from '../domain/dimensions';
import { readAcceptedHeader } from './image-header';
import { isStill, readStillHeader } from './read-still-header';

/**
 * `dimensions` are absent where only code of a package knows them; `isLossy` of JPG, PNG and packages.
 * @throws ImageRefused as the readers of headers do
 */
export function readResultHeader(
  bytes: Uint8Array,
  maxPixels: number,
  formats: Formats,
): { readonly format: ResultFormatName; readonly dimensions?: Dimensions; readonly isLossy?: boolean } {
  const format = formats.bySignature(bytes);
  if (!format) throw notAResult(formats, bytes);
  if (sourceFormat(bytes)) return readAcceptedHeader(bytes, maxPixels);
  return { format, ...(isStill(format) && readStillHeader(format, bytes, maxPixels)) };
}
