import type { SkipReason } from '../domain/compression-report';
import type { Dimensions } from '../domain/dimensions';

/** What a recipe decided: new bytes, or that the file is to be returned as it came. */
export type Outcome =
  | { readonly skipReason: SkipReason }
  | {
      readonly bytes: Uint8Array;
      readonly quality?: number;
      readonly score: number;
      readonly dimensions: Dimensions;
    };
