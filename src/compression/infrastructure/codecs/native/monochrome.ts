/** AVIFs with luma only: libheif returns three equal channels, and does not expand the limited range of video. */
import type { Raster } from '../../../domain/pixels';
import type { AvifLayout } from '../../../formats/avif/avif-header';

/** Returns grey samples in full range: black is 0, white 255 or 65 535. Other images stay as they are. */
export function fullGrey(
  raster: Raster,
  { isMonochrome, isLimited, bitDepth }: Pick<AvifLayout, 'isMonochrome' | 'isLimited' | 'bitDepth'>,
): Raster {
  if (!isMonochrome) return raster;
  const { width, height, channels, data } = raster;
  const isTransparent = channels % 2 === 0;
  const kept = isTransparent ? 2 : 1;
  const isDeep = data instanceof Uint16Array;
  const grey = isDeep ? new Uint16Array(width * height * kept) : new Uint8Array(width * height * kept);
  const [most, steps] = [isDeep ? 65_535 : 255, 2 ** bitDepth - 1];
  // ITU-T H.273, 8.3: 219 steps above 16, each of 2^(bits - 8).
  const [black, range] = [16, 219].map((level) => (level * 2 ** (bitDepth - 8) * most) / steps);
  const expanded = (sample: number) =>
    Math.max(0, Math.min(most, Math.round(((sample - black) * most) / range)));
  for (let from = 0, to = 0; to < grey.length; from += channels, to += kept) {
    grey[to] = isLimited ? expanded(data[from]) : data[from];
    if (isTransparent) grey[to + 1] = data[from + channels - 1];
  }
  return { width, height, channels: kept, data: grey };
}
