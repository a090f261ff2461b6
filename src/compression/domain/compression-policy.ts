/** What an operator promises to users about every image, whatever its format or codec. */
export interface CompressionPolicy {
  /** Longer side in pixels; a larger image is scaled down to it, never rejected for it. */
  readonly maxDimensionPx: number;
  /** Largest width × height accepted, in pixels, as declared by the file's header. */
  readonly maxPixels: number;
  /** Least score of a delivered JPEG (see ssim-score.ts), from 0.9 up to just under 1. */
  readonly targetScore: number;
  /** Whether a PNG may be given a palette of 256 colours where that cannot be seen, or only lossless changes. */
  readonly pngMode: 'auto' | 'lossless';
  /** What time may be spent on fewer bytes; the promise to the eye is the same for all. */
  readonly effort: Effort;
  /** Least gain worth a rewrite, as a share of the original size, 0..1. */
  readonly minSavingsRatio: number;
  /** What stays of the metadata when a file is rewritten. */
  readonly keepMetadata: KeptMetadata;
}

/**
 * `none`: nothing but what the picture needs to be shown as before. `copyright`: also who made it and who owns it.
 * `all`: everything that is still true of the new file.
 */
export const KEPT_METADATA = ['none', 'copyright', 'all'] as const;
export type KeptMetadata = (typeof KEPT_METADATA)[number];

/**
 * Named targets, as scores. Each stands where the median SSIMULACRA2 of 125 varied images is
 * 70, 75, 80 ("no difference seen side by side") and 86; see docs/how-it-works.md.
 */
export const QUALITY_TARGETS = {
  low: 0.9826,
  medium: 0.9873,
  high: 0.9914,
  'very-high': 0.9955,
} as const;

/**
 * How hard to try: `fast` leaves out what costs much and saves little, `max` spends encodes on the last per cent.
 * See the README for what each costs and saves.
 */
export const EFFORTS = ['fast', 'balanced', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];
