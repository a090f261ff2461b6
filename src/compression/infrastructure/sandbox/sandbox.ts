/**
 * What keeps a worker process away from everything but its image: the files of the service, other processes,
 * the network. A worker parses what strangers send, so it is what an attacker would take over first.
 */
import type { Protection } from '../../application/running/compression-runner.port';

/** No worker can be started: its codecs cannot be loaded, or it cannot be sandboxed and must be. */
export class WorkersUnusable extends Error {}

/** A process to start, with its whole environment. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface Sandbox {
  readonly protection: Protection;
  /** The command inherits all open file descriptors. */
  confine(command: Command): Command;
  /** Of the program, as this process sees it. @param startedPid process that `confine` made */
  findPid(startedPid: number | undefined): number | undefined;
}

export const NO_SANDBOX: Sandbox = {
  protection: 'none',
  confine: (command) => command,
  findPid: (startedPid) => startedPid,
};
