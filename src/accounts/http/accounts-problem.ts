import type { Problem } from '../../contract/problem';
import { accountStoreUnavailable } from '../../contract/service-problems';
import { AccountStoreUnavailable } from '../application/account-repository.port';

/** Returns the problem for an error of this capability; undefined for any other error. */
export function accountsProblem(thrown: unknown): Problem | undefined {
  return thrown instanceof AccountStoreUnavailable ? accountStoreUnavailable() : undefined;
}
