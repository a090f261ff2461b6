import type { Problem } from '../../contract/problem';
import { outputStoreUnavailable } from '../../contract/tinify-problems';
import { OutputStoreUnavailable } from '../application/output-store.port';

/** Returns the problem for an error of this capability; undefined for any other error. */
export function tinifyProblem(thrown: unknown): Problem | undefined {
  return thrown instanceof OutputStoreUnavailable ? outputStoreUnavailable() : undefined;
}
