/** Decodes the upload, also one that lacks its end marker, but none that is truncated. */
import { createHash } from 'node:crypto';
import { undecodable } from '../../../contract/image-problems';
import type { Pixels } from '../../domain/pixels';
import type { JpegSource } from '../../formats/image-header';
import { endedWith } from '../../formats/jpeg/end-marker';
import type { JpegCodec, JpegDecodeOptions } from '../codecs.port';

/** Two different continuations of a scan; neither contains a marker. */
const FILLERS = [
  new Uint8Array(1024),
  Uint8Array.from({ length: 1024 }, (_, i) => (i * i * 37 + i * 11 + 90) % 251),
];

/**
 * Decodes an upload. Decoders read what follows a truncated scan as a part of it, and ignore what follows a whole one. So a file
 * without an end marker is whole if it looks the same with either continuation.
 * @throws ImageRefused undecodable_image
 */
export async function decodeUpload(
  codec: JpegCodec,
  { bytes, structure }: JpegSource,
  options: Omit<JpegDecodeOptions, 'header'>,
): Promise<Pixels> {
  const decode = (jpeg: Uint8Array) => codec.decode(jpeg, { ...options, header: structure });
  if (!structure.isEndMissing) return decode(bytes);
  const [other, one] = FILLERS.map((filler) => endedWith(bytes, filler));
  const digest = digestOf(await decode(other));
  const pixels = await decode(one);
  if (digestOf(pixels) !== digest) throw undecodable('JPEG');
  return pixels;
}

function digestOf({ data }: Pixels): string {
  return createHash('sha1').update(data).digest('hex');
}
