import { signal } from '@preact/signals';
import { isServiceThere } from '../api/account';
import { UNREACHABLE, type Trouble } from '../words/trouble';

export type Pause =
  | { readonly kind: 'key-refused'; readonly trouble: Trouble }
  /** `until` in milliseconds since the epoch. */
  | { readonly kind: 'waiting'; readonly trouble: Trouble; readonly until: number }
  | { readonly kind: 'unreachable' | 'given-up'; readonly trouble: Trouble };

export const pause = signal<Pause | undefined>(undefined);

const DEFAULT_RETRY_S = 2;
const PROBE_MS = 2_000;
/** Each refusal doubles the wait. With a Retry-After of 5 s, the page gives up after 75 s. */
const MAX_REFUSALS = 5;

/** Refusals of a busy service since the last result. */
let refusals = 0;
let resumption: ReturnType<typeof setTimeout> | undefined;

export function resume() {
  clearTimeout(resumption);
  pause.value = undefined;
}

export function forgetRefusals() {
  refusals = 0;
}

export function resumeAfter(waitMs: number) {
  clearTimeout(resumption);
  resumption = setTimeout(resume, waitMs);
}

export function stop(trouble: Trouble) {
  clearTimeout(resumption);
  if (trouble.status === 0) {
    pause.value = { kind: 'unreachable', trouble: UNREACHABLE };
    void probe();
  } else if (trouble.code === 'rate_limited' || isPassing(trouble)) {
    // Images that were sent together are refused together.
    if (isPassing(trouble) && !pause.value) refusals++;
    if (refusals >= MAX_REFUSALS) return void (pause.value = { kind: 'given-up', trouble });
    const waitMs = readWaitMs(trouble) * 2 ** Math.max(0, refusals - 1);
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

/** The visitor asks for it. */
export function tryNow() {
  forgetRefusals();
  if (pause.value?.kind === 'unreachable') void probe();
  else resume();
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
