export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;

/** Something that the user should know in one sentence, without a stack. */
export class CliFailure extends Error {}

/** The same about what was typed: nothing has been done. */
export class UsageFault extends CliFailure {}
