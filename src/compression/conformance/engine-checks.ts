/**
 * The checks of an engine: the requirements of the recipes. `ics codec test` runs them
 * (docs/adding-a-codec.md). Every check throws an AssertionError with the expected result. jpeg-js and pngjs decode
 * independently; images are compared by similarity, never by bytes.
 */
import { ISOLATION_CHECKS } from './isolation-checks';
import { JPEG_CHECKS } from './jpeg-checks';
import { JPEG_DECODING_CHECKS } from './jpeg-decoding-checks';
import { JPEG_TABLE_CHECKS } from './jpeg-table-checks';
import { PNG_CHUNK_CHECKS } from './png-chunk-checks';
import { PNG_CHECKS } from './png-checks';
import type { ConformanceCheck } from './pictures';

export const ENGINE_CHECKS: readonly ConformanceCheck[] = [
  ...JPEG_CHECKS,
  ...JPEG_DECODING_CHECKS,
  ...JPEG_TABLE_CHECKS,
  ...PNG_CHECKS,
  ...PNG_CHUNK_CHECKS,
  ...ISOLATION_CHECKS,
];
