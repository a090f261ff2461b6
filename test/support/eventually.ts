import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 120_000;
const PAUSE_MS = 50;
const SHORT_PAUSE_MS = 5;

/** Repeats the assertion until it holds, and returns its value; when it never does, fails as the assertion did last. */
export async function eventually<T>(assertion: () => Promise<T> | T) {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await pause(PAUSE_MS);
  }
}

/** Waits for a state that does not last, however long it takes to come. */
export async function until(isSo: () => Promise<boolean> | boolean) {
  while (!(await isSo())) await pause(SHORT_PAUSE_MS);
}
