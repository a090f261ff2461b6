/** What the lossy rungs of the PNG recipe are given, and what they give back. */
import type { FidelityGuard } from '../domain/fidelity-guard';
import type { Pixels } from '../domain/pixels';

export interface LossySource {
  /** The file, upright, at the size to deliver, without metadata. */
  readonly plain: Uint8Array;
  /** Its pixels, as RGBA. */
  readonly pixels: Pixels;
  /** The same without channels that say nothing. */
  readonly compact: Pixels;
  /** Of all of its pixels. */
  readonly guard: FidelityGuard;
}

/** Pixels that have passed the guard; the last deflate, which costs most, is spent on the winner only. */
export interface PngDraft {
  readonly score: number;
  /** Bytes of the file, about; comparable among the drafts of one image. */
  readonly estimate: number;
  /** The file, packed as tightly as the engine can. */
  pack(): Promise<Uint8Array>;
  /** Of a near-lossless draft: the most that a channel may differ from the source. */
  readonly errorBound?: number;
  /** Of a palette draft: the pixels that passed, as RGBA. */
  readonly delivered?: Pixels;
}
