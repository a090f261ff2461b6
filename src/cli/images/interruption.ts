/** Ctrl-C and its relatives: stop in order the first time, at once the second. */
import { constants } from 'node:os';

/** Aborted when somebody wants us to stop; then the exit code says by which signal, as shells expect it. */
export function onInterruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      process.exitCode = 128 + constants.signals[signal];
      if (controller.signal.aborted) process.exit();
      controller.abort();
    });
  }
  return controller.signal;
}
