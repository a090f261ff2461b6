import type { Dimensions } from './dimensions';

/**
 * Decoded samples: 8 bits each, interleaved, rows from the top, no padding. One channel is grey, three are
 * R, G, B as stored in the file (no colour conversion), two and four add alpha, not premultiplied.
 */
export interface Pixels extends Dimensions {
  readonly channels: 1 | 2 | 3 | 4;
  readonly data: Uint8Array;
}

/** One value a pixel, rows from the top. */
export interface Plane extends Dimensions {
  readonly data: Float32Array;
}

/** Chroma resolution of a JPEG: halved in both directions, or full. */
export type ChromaSubsampling = '4:2:0' | '4:4:4';
