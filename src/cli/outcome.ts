export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;

/** Shown without a stack. */
export class CliFailure extends Error {}

/** A failure caused by the arguments: nothing has been done. */
export class UsageFault extends CliFailure {}
