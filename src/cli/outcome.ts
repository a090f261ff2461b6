/** How a command fails: with one sentence and an exit code. program.ts prints it. */

/** Something failed, or a check found something. */
export const EXIT_FAILURE = 1;
/** Wrong arguments or settings: trying again does not help. */
export const EXIT_USAGE = 2;

/** Shown without a stack. */
export class CliFailure extends Error {}

/** A failure caused by the arguments: nothing has been done. */
export class UsageFault extends CliFailure {}
