/**
 * Keeps the data after an image where readers find them, while metadata before them are removed. Readers of the Multi-Picture
 * Format (CIPA DC-007) count from its index, readers of GContainer and of motion photos from the end of the file.
 */
import { TiffReader } from '../tiff';
import { MP_ENTRIES_TAG, MP_ENTRY_BYTES } from './jpeg-companions';
import { keptSegments, type KeptOptions } from './jpeg-metadata';
import { APP2, MPF_HEADER } from './jpeg-markers';
import { endOfJfif, withSegments, type JpegSegment } from './jpeg-segments';
import { isNamed, isXmp } from './named-segments';
import type { JpegStructure } from './jpeg-structure';
import { directoryOnly } from './xmp-directory';

interface Around {
  /** Segments to add to the kept ones. */
  readonly more: readonly JpegSegment[];
  /** The bytes after the image. */
  readonly behind: Uint8Array;
}

/** Returns the image with the kept metadata, and everything after it unchanged. */
export function withEverythingBehind(
  structure: JpegStructure,
  image: Uint8Array,
  written: KeptOptions,
  { more, behind }: Around,
): Uint8Array {
  const { metadata, segments, end } = structure;
  const kept = [
    ...keptSegments(structure, written),
    ...metadata
      .filter(isXmp)
      .flatMap(({ marker, payload }) =>
        directoryOnly(payload).map((packet) => ({ marker, payload: packet })),
      ),
    ...more,
  ];
  const index = segments.find((segment) => isNamed(segment, APP2, MPF_HEADER));
  if (!index) return Buffer.concat([withSegments(image, kept), behind]);
  const draft = withSegments(image, [...kept, index]);
  const start = endOfJfif(image) + withSegments(image, kept).length - image.length;
  const saved = { size: end - draft.length, distance: end - index.start - (draft.length - start) };
  const payload = movedIndex(index.payload, saved);
  return Buffer.concat([withSegments(image, [...kept, { ...index, payload }]), behind]);
}

/**
 * Returns the index of a file that has become shorter.
 * @param saved bytes by which the image is shorter, and by which its end is closer to the index
 */
function movedIndex(
  source: Uint8Array,
  saved: { readonly size: number; readonly distance: number },
): Uint8Array {
  const payload = Buffer.from(source);
  const tiff = TiffReader.open(payload.subarray(MPF_HEADER.length));
  const entries = tiff?.directory().entries.get(MP_ENTRIES_TAG);
  if (!tiff || !entries) return payload;
  const lower = (at: number, by: number) => {
    const value = (tiff.uint32(at) - by) >>> 0;
    const to = MPF_HEADER.length + at;
    if (tiff.isLittleEndian) payload.writeUInt32LE(value, to);
    else payload.writeUInt32BE(value, to);
  };
  const count = Math.floor(entries.byteLength / MP_ENTRY_BYTES);
  for (let i = 0; i < count; i++) {
    const entry = entries.at + i * MP_ENTRY_BYTES;
    // The first entry is the image itself, at offset 0.
    if (i === 0) lower(entry + 4, saved.size);
    else lower(entry + 8, saved.distance);
  }
  return payload;
}
