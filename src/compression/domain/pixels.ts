import type { Dimensions } from './dimensions';

/**
 * Decoded samples: 8 bits each, interleaved, rows from the top, no padding. One channel is grey, three are
 * R, G, B as stored in the file (no colour conversion), two and four add alpha, not premultiplied.
 */
export interface Pixels extends Dimensions {
  readonly channels: 1 | 2 | 3 | 4;
  readonly data: Uint8Array;
}

/** One channel of samples in 0..255. */
export interface Plane extends Dimensions {
  readonly data: Float32Array;
}

/**
 * Luma of ITU-R BT.601, the one that JPEG itself codes (JFIF 1.02): Y = 0.299 R + 0.587 G + 0.114 B.
 * Alpha is ignored.
 */
export function lumaPlane({ width, height, channels, data }: Pixels): Plane {
  const luma = new Float32Array(width * height);
  if (channels <= 2) {
    for (let i = 0, p = 0; i < luma.length; i++, p += channels) luma[i] = data[p];
  } else {
    for (let i = 0, p = 0; i < luma.length; i++, p += channels) {
      luma[i] = 0.299 * data[p] + 0.587 * data[p + 1] + 0.114 * data[p + 2];
    }
  }
  return { width, height, data: luma };
}

/** Half the size by averaging 2×2 boxes; an odd last row or column is dropped, a side of 1 px stays. */
export function halved({ width, height, data }: Plane): Plane {
  const w = Math.max(1, width >> 1);
  const h = Math.max(1, height >> 1);
  const stepX = width > 1 ? 1 : 0;
  const stepY = height > 1 ? width : 0;
  const out = new Float32Array(w * h);
  for (let y = 0; y < h; y++) {
    let p = y * 2 * stepY;
    for (let x = 0; x < w; x++, p += 2) {
      out[y * w + x] = (data[p] + data[p + stepX] + data[p + stepY] + data[p + stepX + stepY]) / 4;
    }
  }
  return { width: w, height: h, data: out };
}
