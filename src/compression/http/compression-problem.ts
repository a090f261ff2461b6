import { budgetUnreachable } from '../../contract/option-problems';
import { Problem } from '../../contract/problem';
import { deadlineExceeded, draining, overloaded, workerLost } from '../../contract/service-problems';
import { CompressionUnavailable, type UnavailableReason } from '../application/compression-runner.port';
import { ImageRefused } from '../domain/refusal';

const UNAVAILABLE: Readonly<Record<UnavailableReason, () => Problem>> = {
  overloaded,
  deadline_exceeded: deadlineExceeded,
  stopped: draining,
  cancelled: draining,
  worker_lost: workerLost,
};

/** Returns the problem for an error of this capability; undefined for any other error. */
export function compressionProblem(thrown: unknown): Problem | undefined {
  if (thrown instanceof ImageRefused) return refusal(thrown);
  if (thrown instanceof CompressionUnavailable) return UNAVAILABLE[thrown.reason]();
  return undefined;
}

function refusal({ code, message, numbers }: ImageRefused): Problem {
  const { limit = 0, actual = 0 } = numbers;
  return code === 'budget_unreachable'
    ? budgetUnreachable(limit, actual)
    : new Problem(code, message, numbers);
}
