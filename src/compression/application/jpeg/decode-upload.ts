/** Decodes the upload, even without an end marker, but refuses a truncated one. */
import { createHash } from 'node:crypto';
import { undecodable } from '../../../contract/image-problems';
import type { Pixels } from '../../domain/pixels';
import type { JpegSource } from '../../formats/image-header';
import { continued, withoutPadding } from '../../formats/jpeg/end-marker';
import type { JpegCodec, JpegDecodeOptions } from '../codecs.port';

/** Two different continuations of a scan, neither with a marker. */
const ZEROS = new Uint8Array(1024);
const NOISE = ZEROS.map((_, i) => (i * i * 37 + i * 11 + 90) % 251);
/** The last bytes of a scan; without them its last blocks look different. */
const LAST_BYTES = 4;

/**
 * Decodes an upload. Decoders read data after a truncated scan as part of it, and ignore data after a complete one. So a file without
 * an end marker is complete if it looks the same whatever follows its data, but different without the last bytes of them.
 * @throws ImageRefused undecodable_image
 */
export async function decodeUpload(
  codec: JpegCodec,
  { bytes, structure }: JpegSource,
  options: Omit<JpegDecodeOptions, 'header'>,
): Promise<Pixels> {
  const decode = (jpeg: Uint8Array) => codec.decode(jpeg, { ...options, header: structure });
  if (!structure.isEndMissing) return decode(bytes);
  const data = withoutPadding(bytes);
  const digest = digestOf(await decode(continued(data, ZEROS)));
  const cut = await decode(continued(data.subarray(0, -LAST_BYTES), NOISE)).then(digestOf, () => undefined);
  const pixels = await decode(continued(data, NOISE));
  if (digestOf(pixels) !== digest || cut === digest) throw undecodable('JPEG');
  return pixels;
}

function digestOf({ data }: Pixels): string {
  return createHash('sha1').update(data).digest('hex');
}
