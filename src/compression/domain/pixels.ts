/**
 * Decoded pixels and what is done to them without a codec: cropping, dropping redundant channels,
 * compositing, comparing. These loops run over every pixel of every image, in workers; several are written
 * for the JIT, and say so.
 */
import type { Rgb } from './compression-policy';
import type { Dimensions, Position } from './dimensions';

/**
 * Decoded samples: 8 bits each, interleaved, rows from the top, no padding. One channel is grey, three are
 * R, G, B as stored in the file (no colour conversion), two and four add alpha, not premultiplied.
 */
export interface Pixels extends Dimensions {
  readonly channels: 1 | 2 | 3 | 4;
  readonly data: Uint8Array;
}

/** The same with samples of 8 or 16 bits. */
export interface Raster extends Omit<Pixels, 'data'> {
  readonly data: Uint8Array | Uint16Array;
}

/** One value per pixel, rows from the top. */
export interface Plane extends Dimensions {
  readonly data: Float32Array;
}

/** Chroma resolution of a JPEG: halved in both directions, or full. */
export type ChromaSubsampling = '4:2:0' | '4:4:4';

/** Returns the nearest samples of 10 bits, in the lower bits or `shift` above. */
export function toTenBits(data: ArrayLike<number>, shift = 0): Uint16Array {
  const out = new Uint16Array(data.length);
  for (let i = 0; i < data.length; i++) out[i] = Math.round((data[i] * 1023) / 255) << shift;
  return out;
}

/** Returns an image of another size with the same channels and bits; all of its samples are 0. */
export function blankLike<Image extends Raster>(image: Image, { width, height }: Dimensions): Image {
  const { channels } = image;
  const length = width * height * channels;
  const data = image.data instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length);
  return { width, height, channels, data } as Image;
}

/** Copies an image, or a part of it, to a place in another one with the same channels and bits. It must lie within both. */
export function paste(
  image: Raster,
  onto: Raster,
  place: Position,
  part: Position & Dimensions = { left: 0, top: 0, ...image },
): void {
  const { channels } = image;
  for (let y = 0; y < part.height; y++) {
    const start = ((part.top + y) * image.width + part.left) * channels;
    const row = image.data.subarray(start, start + part.width * channels);
    onto.data.set(row, ((place.top + y) * onto.width + place.left) * channels);
  }
}

/** Returns a rectangle of the image. It must lie within the image. */
export function crop<Image extends Raster>(
  image: Image,
  from: Position,
  { width, height }: Dimensions,
): Image {
  const part = blankLike(image, { width, height });
  paste(image, part, { left: 0, top: 0 }, { ...from, width, height });
  return part;
}

/** Returns the luma of an RGB value (ITU-T T.871). */
export function luma(red: number, green: number, blue: number): number {
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}

/** Whether no pixel is transparent. */
export function isOpaque({ channels, data }: Pixels): boolean {
  if (channels === 1 || channels === 3) return true;
  if (channels === 4) return areOpaque(pixelWords(data));
  for (let i = channels - 1; i < data.length; i += channels) if (data[i] !== 255) return false;
  return true;
}

function areOpaque(words: Uint32Array) {
  const whole = words.length & ~3;
  // Four at a time take half as long as one at a time; signed, because V8 boxes larger numbers.
  for (let at = 0; at < whole; at += 4)
    if ((words[at] & words[at + 1] & words[at + 2] & words[at + 3]) >> 24 !== -1) return false;
  return words.subarray(whole).every((word) => word >> 24 === -1);
}

/** Returns the pixels without alpha if it is 255 everywhere, and, if `mayBeGrey`, a grey image with a single colour channel. */
export function withoutRedundantChannels(pixels: Pixels, mayBeGrey: boolean): Pixels {
  const { width, height, channels, data } = pixels;
  if (channels < 3) return pixels;
  const colours = mayBeGrey && isGrey(pixels) ? 1 : 3;
  const hasAlpha = !isOpaque(pixels);
  const kept = hasAlpha ? colours + 1 : colours;
  if (kept === channels) return pixels;
  if (kept === 3) return withoutAlpha(pixels);
  const out = new Uint8Array(width * height * kept);
  for (let from = 0, to = 0; from < data.length; from += channels) {
    out[to++] = data[from];
    if (colours === 3) {
      out[to++] = data[from + 1];
      out[to++] = data[from + 2];
    }
    if (hasAlpha) out[to++] = data[from + 3];
  }
  return { width, height, channels: kept as Pixels['channels'], data: out };
}

function withoutAlpha({ width, height, data }: Pixels): Pixels {
  const from = pixelWords(data);
  const out = new Uint8Array(width * height * 3);
  const to = new Uint32Array(out.buffer, 0, out.length >> 2);
  const whole = from.length & ~3;
  for (let at = 0, word = 0; at < whole; at += 4) {
    const [second, third] = [from[at + 1], from[at + 2]];
    to[word++] = (from[at] & 0xffffff) | (second << 24);
    to[word++] = ((second >>> 8) & 0xffff) | (third << 16);
    to[word++] = ((third >>> 16) & 0xff) | (from[at + 3] << 8);
  }
  for (let at = whole; at < from.length; at++) out.set(data.subarray(at * 4, at * 4 + 3), at * 3);
  return { width, height, channels: 3, data: out };
}

function isGrey({ channels, data }: Pixels) {
  for (let i = 0; i < data.length; i += channels)
    if (data[i] !== data[i + 1] || data[i] !== data[i + 2]) return false;
  return true;
}

const OPAQUE = 0xff000000;

/** Returns the image with four channels; without transparency, alpha is 255. */
export function asRgba(pixels: Pixels): Pixels {
  const { width, height, channels, data } = pixels;
  if (channels === 4) return pixels;
  const words = new Uint32Array(width * height);
  for (let pixel = 0, from = 0; pixel < words.length; pixel++, from += channels) {
    if (channels === 3) words[pixel] = data[from] | (data[from + 1] << 8) | (data[from + 2] << 16) | OPAQUE;
    else words[pixel] = (data[from] * 0x010101) | (channels === 2 ? data[from + 1] << 24 : OPAQUE);
  }
  return { width, height, channels: 4, data: new Uint8Array(words.buffer) };
}

/** Returns grey images as RGB without their alpha; RGB and RGBA as they are. */
export function withColourChannels(pixels: Pixels): Pixels {
  const { width, height, channels, data } = pixels;
  if (channels >= 3) return pixels;
  const rgb = new Uint8Array(width * height * 3);
  for (let i = 0, p = 0; i < rgb.length; i += 3, p += channels) rgb.fill(data[p], i, i + 3);
  return { width, height, channels: 3, data: rgb };
}

/** Whether a pixel with an alpha of 0 is not black: formats with transparency may drop its colour. */
export function hasHiddenColours({ channels, data }: Pixels): boolean {
  if (channels % 2 === 1) return false;
  const isTransparent = (i: number) => data[i - (i % channels) + channels - 1] === 0;
  return data.some((value, i) => value !== 0 && isTransparent(i));
}

/** Returns the largest difference between samples of two RGBA images, 0..255; ignores colours under an alpha of 0. */
export function maxDifference(a: Pixels, b: Pixels): number {
  if (Buffer.compare(a.data, b.data) === 0) return 0;
  let largest = 0;
  for (let i = 0; i < a.data.length; i++) {
    if (a.data[i] === b.data[i]) continue;
    const isHidden = i % 4 !== 3 && a.data[i | 3] === 0;
    if (!isHidden) largest = Math.max(largest, Math.abs(a.data[i] - b.data[i]));
  }
  return largest;
}

/** Returns the image over a grey of 0..255, as RGB or opaque RGBA; opaque colour images are returned as they are. */
export function compositeOver(background: number, image: Pixels): Pixels {
  if (image.channels === 3 || (image.channels === 4 && isOpaque(image))) return image;
  return flattenOver([background, background, background], asRgba(image));
}

/** The same for images with alpha; others stay as they are, also grey ones. */
export function alphaOver(background: number, image: Pixels): Pixels {
  return image.channels % 2 === 0 ? compositeOver(background, image) : image;
}

/** Returns opaque RGBA over a colour. Blends samples as they are, in sRGB, as browsers do. @param image RGBA */
export function flattenOver(colour: Rgb, { width, height, data }: Pixels): Pixels {
  const out = new Uint8Array(data.length);
  const [from, to] = [pixelWords(data), pixelWords(out)];
  const [nothing] = pixelWords(Uint8Array.of(...colour, 255));
  const [red, green, blue] = colour;
  for (let pixel = 0, p = 0; pixel < to.length; pixel++, p += 4) {
    const alpha = data[p + 3];
    if (alpha === 255) to[pixel] = from[pixel];
    else if (alpha === 0) to[pixel] = nothing;
    else {
      out[p] = over(red, data[p], alpha);
      out[p + 1] = over(green, data[p + 1], alpha);
      out[p + 2] = over(blue, data[p + 2], alpha);
      out[p + 3] = 255;
    }
  }
  return { width, height, channels: 4, data: out };
}

/** Rounds a quotient by 255 without a division (J. Blinn, Three Wrongs Make a Right, 1995). */
function over(background: number, value: number, alpha: number) {
  const sum = value * alpha + background * (255 - alpha) + 128;
  return (sum + (sum >> 8)) >> 8;
}

/** Returns RGBA pixels as one number each, in the byte order of the machine. */
export function pixelWords(data: Uint8Array): Uint32Array {
  // Buffers from decoders may start at any address.
  const { buffer, byteOffset } = data.byteOffset % 4 === 0 ? data : new Uint8Array(data);
  return new Uint32Array(buffer, byteOffset, data.length / 4);
}
