/** Updates XMP packets as text: only a few common properties, identified by their usual prefixes. */
import type { Dimensions, Orientation } from '../domain/dimensions';

/** Returns the packet with this orientation and these dimensions, without embedded thumbnails. */
export function updatedXmp(
  packet: Uint8Array,
  now: { readonly orientation: Orientation; readonly dimensions: Dimensions },
): Uint8Array {
  const { width, height } = now.dimensions;
  const values: readonly (readonly [string, number])[] = [
    ['tiff:Orientation', now.orientation],
    ['tiff:ImageWidth', width],
    ['tiff:ImageLength', height],
    ['exif:PixelXDimension', width],
    ['exif:PixelYDimension', height],
    // A rewritten GContainer has no padding between its images, and no video.
    ['Item:Padding', 0],
    ['Camera:MotionPhoto', 0],
    ['Camera:MicroVideo', 0],
  ];
  // Latin-1 maps each byte to one character, so text in any encoding stays intact.
  let text = withoutThumbnails(Buffer.from(packet).toString('latin1'));
  for (const [name, value] of values) {
    text = text.replace(new RegExp(`(\\bG?${name}(?:=["']|>))\\s*\\d+`, 'g'), `$1${value}`);
  }
  return Buffer.from(text, 'latin1');
}

const THUMBNAILS = /<(xmp|xap):Thumbnails\b/g;

/**
 * Removes `xmp:Thumbnails` and `xap:Thumbnails` with their content. Reads the text once: a regular expression for the whole
 * element searches for the end of each of a million opening tags, which took 30 s.
 */
function withoutThumbnails(text: string): string {
  const unclosed = new Set<string>();
  let kept = '';
  let from = 0;
  for (const { index, 1: prefix } of text.matchAll(THUMBNAILS)) {
    if (index < from || unclosed.has(prefix)) continue;
    const tagEnd = text.indexOf('>', index);
    if (tagEnd < 0) break;
    const closing = `</${prefix}:Thumbnails>`;
    const isEmpty = text[tagEnd - 1] === '/';
    const end = isEmpty ? tagEnd : text.indexOf(closing, tagEnd);
    if (end < 0) {
      unclosed.add(prefix);
      continue;
    }
    kept += text.slice(from, index);
    from = end + (isEmpty ? 1 : closing.length);
  }
  return kept + text.slice(from);
}
