/** XMP packets, changed as text: only a few well-known properties are touched, and only by their usual names. */
import type { Dimensions, Orientation } from '../domain/dimensions';

/** Thumbnails in XMP (`xmp:Thumbnails`, `xap:Thumbnails`), with all that is inside. */
const THUMBNAILS = /<(xmp|xap):Thumbnails\b[^>]*>[\s\S]*?<\/\1:Thumbnails>/g;

/** The packet with orientation and dimensions as given, without embedded thumbnails. */
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
    // Nothing is put between the pictures of a container (GContainer).
    ['Item:Padding', 0],
  ];
  // One character a byte, so that text in any encoding passes through unharmed.
  let text = Buffer.from(packet).toString('latin1').replace(THUMBNAILS, '');
  for (const [name, value] of values) {
    text = text.replace(new RegExp(`(\\b${name}(?:=["']|>))\\s*\\d+`, 'g'), `$1${value}`);
  }
  return Buffer.from(text, 'latin1');
}
