/** Converts pixels to and from the RGBA images of the codecs. */
import { withoutRedundantChannels, type Pixels } from '../../../domain/pixels';
import type { RgbaImage } from './squoosh-modules';

/** Returns RGBA with an alpha of 255 if there is no alpha; a view of pixels that are RGBA, if they fill their buffer. */
export function rgbaImage({ width, height, channels, data }: Pixels): RgbaImage {
  // The AVIF encoder reads the buffer from its start, whatever the view.
  if (channels === 4 && data.byteLength === data.buffer.byteLength)
    return { width, height, data: new Uint8ClampedArray(data.buffer) };
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  const [green, blue] = channels >= 3 ? [1, 2] : [0, 0];
  for (let i = 0, p = 0; i < rgba.length; i += 4, p += channels) {
    rgba[i] = data[p];
    rgba[i + 1] = data[p + green];
    rgba[i + 2] = data[p + blue];
    if (channels % 2 === 0) rgba[i + 3] = data[p + channels - 1];
  }
  return { width, height, data: rgba };
}

/** Returns RGB if no pixel is transparent. */
export function withoutOpaqueAlpha({ width, height, data }: RgbaImage): Pixels {
  const rgba = new Uint8Array(data.buffer, data.byteOffset, data.length);
  return withoutRedundantChannels({ width, height, channels: 4, data: rgba }, false);
}
