/** A target exports `fuzz(bytes)`, which throws for a finding, `seeds(images)`, and optionally `words`. */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { prepare, root } from '../../scripts/prepare.mjs';

prepare('tests');
export const load = (path) => createRequire(import.meta.url)(join(root, 'dist', path));

const { Problem } = load('contract/problem.js');

export const MAX_PIXELS = 268e6;
export const chosen = (list, byte) => list[(byte ?? 0) % list.length];
export const KEPT = ['none', 'copyright', ['creation'], ['location'], 'all'];

/** Returns the result; undefined if the input is refused with a sentence. */
export function unlessRefused(work) {
  try {
    return work();
  } catch (error) {
    checkRefusal(error);
    return undefined;
  }
}

/** Throws the error unless it is a problem that a client may see. */
export function checkRefusal(error) {
  if (!(error instanceof Problem) || error.code === 'internal_error') throw error;
  assert.match(error.message, /^[A-Z0-9].*\.$/);
}

/** Returns options for a writer of metadata, by two bytes. */
export function writtenBy([first = 0, second = 0]) {
  return {
    keep: chosen(KEPT, first),
    orientation: 1 + (second & 7),
    dimensions: { width: 100 + (first << 8), height: 70 + second },
    ...(second & 8
      ? {
          reshaped: {
            applied: 1 + ((second >> 4) & 7),
            scale: second & 128 ? 0.5 : 1,
            isCropped: first > 127,
          },
        }
      : {}),
  };
}
