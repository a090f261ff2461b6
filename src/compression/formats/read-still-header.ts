/** Reads the headers of WebP and AVIF. Runs in the service process as well, so it reads no pixels. */
import { FORMATS, type BuiltInFormat, type SourceFormat } from '../../contract/formats';
import { undecodable } from '../../contract/image-problems';
import { readAvifHeader } from './avif/avif-header';
import { refuseManyPixels } from './image-header';
import type { StillHeader } from './still-header';
import { readWebpHeader } from './webp/webp-file';

/** The formats of this repository whose uploads are decoded first. */
export type StillFormat = Exclude<BuiltInFormat, SourceFormat>;

const READERS: Readonly<Record<StillFormat, (bytes: Uint8Array) => StillHeader>> = {
  webp: readWebpHeader,
  avif: readAvifHeader,
};

/** @throws ImageRefused when the header is damaged or the file is cut off, or the image has too many pixels */
export function readStillHeader(format: StillFormat, bytes: Uint8Array, maxPixels: number): StillHeader {
  const header = READERS[format](bytes);
  refuseManyPixels(header.dimensions, maxPixels);
  // The frames of a real file are not larger than the limit where its image is not.
  if (header.codedPixels > maxPixels) throw undecodable(FORMATS[format].label);
  return header;
}

export function isStill(format: string): format is StillFormat {
  return Object.hasOwn(READERS, format);
}
