/** Chooses the strongest sandbox that works on this machine, by trying each. */
import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { SandboxMode } from '../../application/running/compression-runner.port';
import { canSuspendProcesses, KILLED_WITH_PARENT } from '../process/suspension';
import { bubblewrap } from './bubblewrap';
import { landlock } from './landlock';
import { outcomeOf } from './run-trial';
import { NO_SANDBOX, WorkersUnusable, type Command, type Sandbox } from './sandbox';
import { filterFile } from './system-call-filter';
import { WorkerFiles } from './worker-files';

export interface SandboxRequest {
  readonly mode: SandboxMode;
  /** The script LOAD_TRIAL, and its arguments. */
  readonly trial: readonly string[];
  /** Modules and folders that workers read besides this package, as absolute paths. */
  readonly readable: readonly string[];
  /** The environment of the workers. */
  readonly env: Command['env'];
}

export interface OpenedSandbox {
  readonly sandbox: Sandbox;
  /** One sentence for the operator: the protection, and why it is not a stronger one. */
  readonly summary: string;
}

/** @throws WorkersUnusable when the required sandbox does not work, or a worker cannot load its codecs even without one */
export async function openSandbox({ mode, trial, readable, env }: SandboxRequest): Promise<OpenedSandbox> {
  if (mode === 'off')
    return { sandbox: NO_SANDBOX, summary: 'Workers are not sandboxed: it is switched off.' };
  const faults: string[] = [];
  if (process.platform === 'linux') {
    const command = { program: process.execPath, args: trial, env };
    const plain = await outcomeOf(endingWithParent(command));
    if ('fault' in plain) throw new WorkersUnusable(`The codec engine cannot start: ${plain.fault}`);
    const libraries = plain.libraries.filter((library) => isAbsolute(library) && existsSync(library));
    const files = new WorkerFiles(readable);
    // Otherwise a sandboxed process could not be found, to stop it or to watch its memory.
    const hasChildren = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);
    if (!hasChildren) faults.push('bubblewrap: it needs a kernel with CONFIG_PROC_CHILDREN');
    const candidates = hasChildren ? [bubblewrap(files, libraries, filterFile('bubblewrap'))] : [];
    if (mode === 'auto') candidates.push(landlock(files, libraries, filterFile('landlock')));
    for (const sandbox of candidates) {
      const outcome = await outcomeOf(sandbox.confine(command));
      if ('libraries' in outcome) return { sandbox, summary: summarise(sandbox, faults) };
      faults.push(`${sandbox.protection}: ${outcome.fault}`);
    }
  } else faults.push('it needs Linux');
  if (mode === 'auto') return { sandbox: NO_SANDBOX, summary: summarise(NO_SANDBOX, faults) };
  throw new WorkersUnusable(`The required sandbox of the workers does not work here: ${reasonsOf(faults)}`);
}

/** Has the kernel end a hanging package with the service. */
function endingWithParent({ program, args, env }: Command): Command {
  if (!canSuspendProcesses()) return { program, args, env };
  const [setpriv, ...options] = KILLED_WITH_PARENT;
  return { program: setpriv, args: [...options, program, ...args], env };
}

function summarise({ protection }: Sandbox, faults: readonly string[]): string {
  const reasons = faults.length > 0 ? ` (${reasonsOf(faults)})` : '';
  const unfiltered = filterFile('landlock') === undefined;
  switch (protection) {
    case 'bubblewrap':
      return `Workers are sandboxed by bubblewrap${unfiltered ? ', but all system calls are open' : ''}${reasons}.`;
    case 'landlock':
      return `Workers are confined by Landlock${unfiltered ? ', which leaves them the network and signals' : ''}${reasons}.`;
    case 'none':
      return `Workers are not sandboxed${reasons}.`;
  }
}

const reasonsOf = (faults: readonly string[]) => [...new Set(faults)].join('; ');
