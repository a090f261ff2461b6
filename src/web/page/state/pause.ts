import { signal } from '@preact/signals';
import { isServiceThere } from '../api/account';
import { UNREACHABLE, type Trouble } from '../words/trouble';

export type Pause =
  | { readonly kind: 'key-refused'; readonly trouble: Trouble }
  /** `until` in milliseconds since the epoch. */
  | { readonly kind: 'waiting'; readonly trouble: Trouble; readonly until: number }
  | { readonly kind: 'unreachable'; readonly trouble: Trouble };

export const pause = signal<Pause | undefined>(undefined);

const DEFAULT_RETRY_S = 2;
const PROBE_MS = 2_000;

let resumption: ReturnType<typeof setTimeout> | undefined;

export function resume(): void {
  clearTimeout(resumption);
  pause.value = undefined;
}

export function resumeAfter(waitMs: number): void {
  clearTimeout(resumption);
  resumption = setTimeout(resume, waitMs);
}

export function stop(trouble: Trouble): void {
  clearTimeout(resumption);
  if (trouble.status === 0) {
    pause.value = { kind: 'unreachable', trouble: UNREACHABLE };
    void probe();
  } else if (trouble.code === 'rate_limited' || isPassing(trouble)) {
    const waitMs = readWaitMs(trouble);
    pause.value = { kind: 'waiting', trouble, until: Date.now() + waitMs };
    resumeAfter(waitMs);
  } else {
    pause.value = { kind: 'key-refused', trouble };
  }
}

export async function checkService(): Promise<void> {
  const isThere = await isServiceThere();
  if (!isThere && !pause.value) stop(UNREACHABLE);
}

export async function probe(): Promise<void> {
  if (pause.value?.kind !== 'unreachable') return;
  clearTimeout(resumption);
  if (await isServiceThere()) return resume();
  // Another call may have set a timer in the meantime.
  clearTimeout(resumption);
  resumption = setTimeout(() => void probe(), PROBE_MS);
}

export function isPassing({ status }: Trouble): boolean {
  return [502, 503, 504].includes(status);
}

export function readWaitMs({ retryAfterSeconds = DEFAULT_RETRY_S }: Trouble): number {
  return retryAfterSeconds * 1000;
}
