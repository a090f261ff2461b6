/** How a command fails: with one sentence, which program.ts prints, and an exit code; and what it does when its output cannot be written. */

/** Something failed, or a check found something. */
export const EXIT_FAILURE = 1;
/** Wrong arguments or settings: trying again does not help. */
export const EXIT_USAGE = 2;

/** Shown without a stack. */
export class CliFailure extends Error {}

/** A failure caused by the arguments: nothing has been done. */
export class UsageFault extends CliFailure {}

/** Ends a command whose output cannot be written: nobody would know what it has done. */
export function endUnread(): void {
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    // After EPIPE, the program that read our output has exited, so there is nothing to say.
    if (code !== 'EPIPE') process.stderr.write(`Standard output cannot be written: ${message}.\n`);
    process.exit(EXIT_FAILURE);
  });
}

/** A server works on without its log. */
export function serveUnread(): void {
  process.stdout.removeAllListeners('error').on('error', () => undefined);
}
