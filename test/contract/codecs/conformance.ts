/**
 * The codec conformance suite: what the recipes rely on, as a list of named checks. Whoever adds an engine runs it
 * (docs/adding-a-codec.md). Every check throws an AssertionError that says what was expected.
 *
 * The judges are jpeg-js and pngjs, pictures are compared by similarity, and never by their bytes.
 */
import { JPEG_CHECKS } from './jpeg-conformance';
import { JPEG_TABLE_CHECKS } from './jpeg-table-conformance';
import { PNG_CHUNK_CHECKS } from './png-chunk-conformance';
import { PNG_CHECKS } from './png-conformance';
import type { ConformanceCheck } from './pictures';

export const CONFORMANCE: readonly ConformanceCheck[] = [
  ...JPEG_CHECKS,
  ...JPEG_TABLE_CHECKS,
  ...PNG_CHECKS,
  ...PNG_CHUNK_CHECKS,
];
