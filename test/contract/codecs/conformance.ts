/**
 * The codec conformance suite: the requirements of the recipes, as a list of named checks. Run it on a new engine
 * (docs/adding-a-codec.md). Every check throws an AssertionError that says what was expected. jpeg-js and pngjs decode
 * independently; images are compared by similarity, never by bytes.
 */
import { ISOLATION_CHECKS } from './isolation-conformance';
import { JPEG_CHECKS } from './jpeg-conformance';
import { JPEG_DECODING_CHECKS } from './jpeg-decoding-conformance';
import { JPEG_TABLE_CHECKS } from './jpeg-table-conformance';
import { PNG_CHUNK_CHECKS } from './png-chunk-conformance';
import { PNG_CHECKS } from './png-conformance';
import type { ConformanceCheck } from './pictures';

export const CONFORMANCE: readonly ConformanceCheck[] = [
  ...JPEG_CHECKS,
  ...JPEG_DECODING_CHECKS,
  ...JPEG_TABLE_CHECKS,
  ...PNG_CHECKS,
  ...PNG_CHUNK_CHECKS,
  ...ISOLATION_CHECKS,
];
