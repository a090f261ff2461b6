/** Runs the conformance kit in processes of its own, which a codec may crash. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { KitMessage } from '../../compression/infrastructure/process/conformance-process';
import type { FormatManifest } from '../../compression/packages/manifest';
import { CliFailure } from '../outcome';

const KIT_PROCESS = join(
  __dirname,
  ...['..', '..', 'compression', 'infrastructure', 'process', 'conformance-process.js'],
);

/** An engine or a format. */
export interface Subject {
  readonly kind: 'engine' | 'format';
  /** The name of an engine, or the absolute path of a package. */
  readonly name: string;
  readonly label: string;
  /** Present for a format. */
  readonly manifest?: FormatManifest;
}

export interface CheckVerdict {
  readonly name: string;
  /** Why the check failed; undefined if it passed. */
  readonly reason: string | undefined;
}

/**
 * Yields the verdicts in the order of the checks.
 * @throws CliFailure when the codec cannot be loaded
 */
export async function* runKit(subject: Subject): AsyncGenerator<CheckVerdict> {
  let names: readonly string[] = [];
  let next = 0;
  do {
    const { messages, cause } = await processOf(subject, String(next));
    for (const message of messages) {
      if (message.kind === 'checks') ({ names } = message);
      else if (message.kind !== 'measured') {
        next = message.index + 1;
        yield { name: names[message.index], reason: message.kind === 'failed' ? message.reason : undefined };
      }
    }
    if (names.length === 0) throw new CliFailure(`${subject.label} cannot be tested: ${cause}`);
    if (next < names.length) yield { name: names[next++], reason: `the process ended: ${cause}` };
  } while (next < names.length);
}

/** @throws CliFailure when the process ends without a result */
export async function measureFormat(subject: Subject) {
  const { messages, cause } = await processOf(subject, 'measure');
  const measured = messages.find((message) => message.kind === 'measured');
  if (!measured) throw new CliFailure(`${subject.label} cannot be measured: ${cause}`);
  return measured;
}

/** Runs a process to its end. `cause` says how it ended. */
function processOf({ kind, name }: Subject, start: string) {
  return new Promise<{ readonly messages: readonly KitMessage[]; readonly cause: string }>((resolve) => {
    const child = fork(KIT_PROCESS, [kind, name, start], {
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    const messages: KitMessage[] = [];
    let errors = '';
    child.stderr?.on('data', (piece: Buffer) => (errors += piece.toString()));
    child.on('message', (message) => messages.push(message as KitMessage));
    child.on('close', (code, signal) => {
      const line = errors.trim().split('\n').at(-1);
      resolve({ messages, cause: [signal ?? `exit code ${code}`, ...(line ? [line] : [])].join(', ') });
    });
  });
}
