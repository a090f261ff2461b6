/** Pauses sending, and resumes it. */
import { signal } from '@preact/signals';
import { isServiceThere } from '../api/account';
import { UNREACHABLE, type Trouble } from '../words/trouble';

export type Pause =
  | { readonly kind: 'key-refused'; readonly trouble: Trouble }
  /** A limit, or a busy service; `until` in milliseconds since the epoch. */
  | { readonly kind: 'waiting'; readonly trouble: Trouble; readonly until: number }
  | { readonly kind: 'unreachable'; readonly trouble: Trouble };

/** The reason for the pause; undefined while the queue runs. */
export const pause = signal<Pause | undefined>(undefined);

const DEFAULT_RETRY_S = 2;
const PROBE_MS = 2_000;

let resumption: ReturnType<typeof setTimeout> | undefined;

/** Ends the pause: after a new key, or because the visitor wants to try now. */
export function resume(): void {
  clearTimeout(resumption);
  pause.value = undefined;
}

/** Resumes later, unless the pause has ended by then. */
export function resumeAfter(waitMs: number): void {
  clearTimeout(resumption);
  resumption = setTimeout(resume, waitMs);
}

/** Pauses until the cause is gone. */
export function stop(trouble: Trouble): void {
  clearTimeout(resumption);
  if (trouble.status === 0) {
    pause.value = { kind: 'unreachable', trouble: UNREACHABLE };
    void probe();
  } else if (trouble.code === 'rate_limited' || isPassing(trouble)) {
    const waitMs = waitMsOf(trouble);
    pause.value = { kind: 'waiting', trouble, until: Date.now() + waitMs };
    resumeAfter(waitMs);
  } else {
    pause.value = { kind: 'key-refused', trouble };
  }
}

/** Reports at once that the service cannot be reached, before anything is sent. A service on this machine needs no network. */
export async function checkService(): Promise<void> {
  const isThere = await isServiceThere();
  if (!isThere && !pause.value) stop(UNREACHABLE);
}

/** Checks whether the service is back, and resumes if it is. */
export async function probe(): Promise<void> {
  if (pause.value?.kind !== 'unreachable') return;
  clearTimeout(resumption);
  if (await isServiceThere()) return resume();
  // Another call may have set a timer in the meantime.
  clearTimeout(resumption);
  resumption = setTimeout(() => void probe(), PROBE_MS);
}

/** Whether the service, or a proxy before it, is away or busy for now. */
export function isPassing({ status }: Trouble): boolean {
  return [502, 503, 504].includes(status);
}

/** Returns the milliseconds after which the service expects the next request. */
export function waitMsOf({ retryAfterSeconds = DEFAULT_RETRY_S }: Trouble): number {
  return retryAfterSeconds * 1000;
}
