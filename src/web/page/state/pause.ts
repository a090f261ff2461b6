/** Why nothing is being sent, and how it ends. */
import { signal } from '@preact/signals';
import { isServiceThere } from '../api/account';
import { UNREACHABLE, type Trouble } from '../words/trouble';

export type Pause =
  | { readonly kind: 'key-refused'; readonly trouble: Trouble }
  /** `until` in milliseconds since the epoch. */
  | { readonly kind: 'rate-limited'; readonly trouble: Trouble; readonly until: number }
  | { readonly kind: 'unreachable'; readonly trouble: Trouble }
  /** Every image of the trial is taken; those under way give theirs back if they fail. */
  | { readonly kind: 'trial-taken'; readonly trouble: Trouble };

/** Why nothing is being sent; undefined when the queue runs. */
export const pause = signal<Pause | undefined>(undefined);

const DEFAULT_RETRY_S = 2;
const PROBE_MS = 2_000;
/** Statuses worth retrying: ours, and those of a proxy whose service is restarting. */
const PASSING = new Set([502, 503, 504]);

let resumption: ReturnType<typeof setTimeout> | undefined;

/** Gives up waiting: after a new key, or because the person wants to try now. */
export function resume(): void {
  clearTimeout(resumption);
  pause.value = undefined;
}

/** Sends nothing until the cause is gone. */
export function stop(trouble: Trouble): void {
  clearTimeout(resumption);
  if (trouble.status === 0) {
    pause.value = { kind: 'unreachable', trouble: UNREACHABLE };
    void probe();
  } else if (trouble.code === 'rate_limited' || isPassing(trouble)) {
    const waitMs = waitMsOf(trouble);
    pause.value = { kind: 'rate-limited', trouble, until: Date.now() + waitMs };
    resumption = setTimeout(resume, waitMs);
  } else if (trouble.code === 'trial_used_up') {
    pause.value = { kind: 'trial-taken', trouble };
  } else {
    pause.value = { kind: 'key-refused', trouble };
  }
}

/** Asks whether the service is back, and goes on when it is. */
export async function probe(): Promise<void> {
  if (pause.value?.kind !== 'unreachable') return;
  clearTimeout(resumption);
  if (await isServiceThere()) return resume();
  // Whatever called us, one timer is enough.
  clearTimeout(resumption);
  resumption = setTimeout(() => void probe(), PROBE_MS);
}

/** Whether the cause may be gone in a moment. */
export function isPassing({ status }: Trouble): boolean {
  return PASSING.has(status);
}

/** The time in milliseconds after which the service wants to be asked again. */
export function waitMsOf({ retryAfterSeconds = DEFAULT_RETRY_S }: Trouble): number {
  return retryAfterSeconds * 1000;
}
