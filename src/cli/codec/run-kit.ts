/** Runs the conformance kit in processes of its own, which a codec may crash, or keep busy for ever. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { KitMessage } from '../../compression/infrastructure/process/conformance-process';
import type { FormatManifest } from '../../compression/packages/manifest';
import { CliFailure } from '../outcome';

const KIT_PROCESS = join(
  __dirname,
  ...['..', '..', 'compression', 'infrastructure', 'process', 'conformance-process.js'],
);
const LIMITS = {
  /** Longest wait until the package is loaded, as for the workers of the service. */
  loadMs: 30_000,
  /** Longest wait for the next message: of a format for each call, of an engine for each check. */
  stepMs: 60_000,
  /** After this number of checks that do not finish, the others are not run: each costs a minute. */
  maxUnfinished: 2,
};
/** Of standard error, the last characters are kept. */
const KEPT_CHARACTERS = 4096;

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
 * Reports the verdicts in the order of the checks.
 * @throws CliFailure when the codec cannot be loaded, or several checks do not finish
 */
export async function runKit(
  subject: Subject,
  report: (verdict: CheckVerdict) => void,
  limits = LIMITS,
): Promise<void> {
  let names: readonly string[] | undefined;
  let next = 0;
  let unfinished = 0;
  do {
    const { cause, isLate } = await processOf(subject, String(next), limits, (message) => {
      if (message.kind === 'checks') ({ names } = message);
      if (message.kind !== 'passed' && message.kind !== 'failed') return;
      next = message.index + 1;
      const reason = message.kind === 'failed' ? message.reason : undefined;
      report({ name: names?.[message.index] ?? '', reason });
    });
    if (!names) throw new CliFailure(`${subject.label} cannot be tested: ${cause}.`);
    if (next < names.length) report({ name: names[next++], reason: cause });
    if (isLate && ++unfinished === limits.maxUnfinished && next < names.length)
      throw new CliFailure(
        `${unfinished} checks did not finish; the other ${names.length - next} were not run.`,
      );
  } while (next < names.length);
}

/** @throws CliFailure when the process ends without a result */
export async function measureFormat(subject: Subject) {
  let measured: Extract<KitMessage, { kind: 'measured' }> | undefined;
  const { cause } = await processOf(subject, 'measure', LIMITS, (message) => {
    if (message.kind === 'measured') measured = message;
  });
  if (!measured) throw new CliFailure(`${subject.label} cannot be measured: ${cause}.`);
  return measured;
}

interface End {
  /** How the process ended, as a clause. */
  readonly cause: string;
  /** Whether it was killed because it sent nothing for too long. */
  readonly isLate: boolean;
}

/** Runs a process to its end. */
function processOf(
  { kind, name }: Subject,
  start: string,
  { loadMs, stepMs }: typeof LIMITS,
  receive: (message: KitMessage) => void,
): Promise<End> {
  return new Promise((resolve) => {
    const child = fork(KIT_PROCESS, [kind, name, start], {
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let doing = 'loading';
    let late: string | undefined;
    let errors = '';
    const expectMessage = (timeoutMs: number) =>
      setTimeout(() => {
        late = `${doing} did not finish within ${timeoutMs / 1000} s`;
        child.kill('SIGKILL');
        // What it has started may keep the pipes open.
        child.stderr?.destroy();
      }, timeoutMs);
    let timer = expectMessage(loadMs);
    child.stderr?.on('data', (piece: Buffer) => {
      errors = (errors + piece.toString()).slice(-KEPT_CHARACTERS);
    });
    child.on('message', (message: KitMessage) => {
      clearTimeout(timer);
      timer = expectMessage(stepMs);
      doing = message.kind === 'calls' ? message.what : 'the check';
      receive(message);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const line = errors.trim().split('\n').at(-1);
      const end = [signal ?? `exit code ${code}`, ...(line ? [line] : [])].join(', ');
      resolve({ cause: late ?? `${doing} ended the process: ${end}`, isLate: late !== undefined });
    });
  });
}
