/** The input and output of the lossy stages of the PNG recipe. */
import type { FidelityGuard } from '../../domain/fidelity-guard';
import type { KeptColours } from '../../domain/kept-colours';
import type { IndexedImage } from '../../domain/palette/indexed-image';
import type { Pixels } from '../../domain/pixels';

export interface LossySource {
  /** Upright and scaled, as RGBA. */
  readonly pixels: Pixels;
  /** The same pixels without redundant channels. */
  readonly compact: Pixels;
  /** Colours that candidates keep. */
  readonly kept: KeptColours;
  /** Compares candidates with all pixels. */
  readonly guard: FidelityGuard;
}

/** Pixels that have passed the guard. The final deflate is expensive, so only the winner gets it. */
export interface PngDraft {
  readonly score: number;
  /** Estimated size of the file in bytes; comparable among the drafts of one image. */
  readonly estimate: number;
  /** Returns the file, compressed as well as the engine can. */
  pack(): Promise<Uint8Array>;
  /** For a near-lossless draft, the part of the image that gave the estimate. */
  readonly part?: Pixels;
  /** For a near-lossless draft, the largest difference of any channel from the source. */
  readonly errorBound?: number;
  /** For a palette draft, the image that passed. */
  readonly image?: IndexedImage;
}
