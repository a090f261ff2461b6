/** What keeps a worker process away from everything but its image. */
import type { Protection } from '../../application/running/compression-runner.port';

/** No worker can be started: its codecs cannot be loaded, or it cannot be sandboxed and must be. */
export class WorkersUnusable extends Error {}

/** A program to start. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Sandbox {
  readonly protection: Protection;
  /** Returns a command that starts the same program in the sandbox. It inherits all open file descriptors. */
  confine(command: Command): Command;
  /**
   * Returns the id of the program's process, as this process sees it; undefined if it does not run.
   * @param startedPid process that `confine` made
   */
  pidOf(startedPid: number | undefined): number | undefined;
}

export const NO_SANDBOX: Sandbox = {
  protection: 'none',
  confine: (command) => command,
  pidOf: (startedPid) => startedPid,
};
