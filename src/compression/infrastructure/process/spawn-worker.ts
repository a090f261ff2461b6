/** Starts the process of a worker: its script, its environment, its pipes. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Duplex } from 'node:stream';
import { ResultFormats } from '../../../contract/result-formats';
import type { SandboxMode } from '../../application/running/compression-runner.port';
import type { Engine } from '../../options/values';
import { readablePaths, type CodecPackage } from '../../packages/codec-package';
import { LOAD_TRIAL } from '../sandbox/open-sandbox';
import type { Command, Sandbox } from '../sandbox/sandbox';
import { KILLED_WITH_PARENT, signalProcess, SUSPENDED_TIME_VARIABLE, type Suspension } from './suspension';
import { HEARTBEAT_FD } from './vital-signs';

/** Environment variables that a worker receives: those of Node and the dynamic linker, no secrets. */
const PASSED_VARIABLES = /^(PATH|NODE_OPTIONS|LD_.*|MALLOC_.*|DYLD_.*|TZ|SystemRoot|TEMP|TMP|TMPDIR)$/;
/** libuv threads of a worker: one for the codec and one spare. The default of 4 would only use memory. */
const LIBUV_THREADS = '2';
/**
 * MALLOC_ARENA_MAX of workers. glibc gives each thread its own heap, which keeps freed memory: a 12-megapixel image then
 * peaked at 690 MB instead of 440 MB. A value set by the operator takes precedence; other C libraries ignore it.
 */
const GLIBC_ARENAS = '1';
/**
 * The heap of a worker takes about 10 MB, the pixels of an image outside it as much or more. V8 counts both and would collect the whole
 * heap for each image, a fifth of the time of a small one. So the heap starts at 64 MB; after a large image the worker collects it.
 */
const WORKER_FLAGS = ['--expose-gc', '--initial-old-space-size=64'] as const;

interface SpawnedWorker {
  readonly process: ChildProcess;
  /** Frames in both directions; see FrameChannel. */
  readonly messages: Duplex;
  /** One byte at intervals while the process runs. */
  readonly heartbeat: Duplex;
  /** Messages of libraries. */
  readonly errors: Duplex;
}

/** The file descriptor of the time that a worker was suspended. */
const SUSPENDED_TIME_FD = 5;
const O_CLOEXEC = 0o2000000;

/** Returns the environment of a worker. */
export function workerEnvironment(): Command['env'] {
  return {
    MALLOC_ARENA_MAX: GLIBC_ARENAS,
    ...Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value = '']) =>
        PASSED_VARIABLES.test(name) ? [[name, value]] : [],
      ),
    ),
    UV_THREADPOOL_SIZE: LIBUV_THREADS,
  };
}

/**
 * Starts a worker. If the system has no file descriptors or processes left, the streams stay silent and the process emits `error`.
 * @param entry the script to run, and its arguments
 * @param suspension present if the worker may be suspended
 */
export function spawnWorker(
  entry: readonly string[],
  sandbox: Sandbox,
  suspension?: Suspension,
): SpawnedWorker {
  const variables = suspension ? { [SUSPENDED_TIME_VARIABLE]: String(SUSPENDED_TIME_FD) } : {};
  const command = sandbox.confine({
    program: process.execPath,
    args: [...WORKER_FLAGS, ...entry],
    env: { ...workerEnvironment(), ...variables },
  });
  // bubblewrap's command ends with this process by itself.
  const wrapper = suspension && sandbox.protection !== 'bubblewrap' ? KILLED_WITH_PARENT : [];
  const [program, ...args] = [...wrapper, command.program, ...command.args];
  const child = spawn(program, args, {
    // Standard output carries results and logs of this process, and libraries print messages about damaged files to it.
    stdio: [
      ...(['ignore', 'ignore', 'pipe', 'pipe', 'pipe', suspension?.readFd ?? 'ignore'] as const),
      ...inheritedReplaced,
    ],
    env: command.env,
    // A session without a terminal, and a process group that killWorker can kill.
    detached: sandbox.protection === 'bubblewrap',
  });
  const pipes = child.stdio as (Duplex | undefined)[] | undefined;
  const messages = pipes?.[3] ?? new PassThrough();
  const heartbeat = pipes?.[HEARTBEAT_FD] ?? new PassThrough();
  const errors = pipes?.[2] ?? new PassThrough();
  // The exit that follows reports a broken pipe.
  for (const stream of [messages, heartbeat, errors]) stream.on('error', () => undefined);
  return { process: child, messages, heartbeat, errors };
}

/**
 * Replaces what programs would inherit from this process. A parent may have left files open: a lock, a log, a pipe with a secret.
 * Node.js opens its own so that no program inherits them.
 */
const inheritedReplaced = replacements();

/** The entries behind SUSPENDED_TIME_FD: /dev/null for each inherited descriptor. */
function replacements(): readonly (number | 'ignore')[] {
  const inherited = new Set(inheritedDescriptors());
  if (inherited.size === 0) return [];
  const nothing = openSync('/dev/null', 'r');
  const first = SUSPENDED_TIME_FD + 1;
  const count = Math.max(...inherited) - first + 1;
  return Array.from({ length: count }, (_, i) => (inherited.has(first + i) ? nothing : 'ignore'));
}

function inheritedDescriptors(): number[] {
  if (!existsSync('/proc/self/fd')) return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((fd) => fd > SUSPENDED_TIME_FD && isInherited(fd));
}

function isInherited(fd: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // The descriptor that read the folder; it is closed by now.
    return false;
  }
}

/**
 * Kills a worker at once. bubblewrap is killed with its group: its reaper waits for the monitor forever if the monitor is killed
 * before it has set up the user namespace.
 */
export function killWorker(child: ChildProcess, { protection }: Sandbox): void {
  if (protection === 'bubblewrap' && child.pid !== undefined) signalProcess(-child.pid, 'SIGKILL');
  else child.kill('SIGKILL');
}

/**
 * Returns why a worker exited: a signal, or an exit code. bubblewrap exits with 128 and the number of the signal that ended its
 * program.
 */
export function causeOf(code: number | null, signal: NodeJS.Signals | null): string {
  const number = (code ?? 0) - 128;
  const inside = Object.entries(constants.signals).find(([, each]) => each === number);
  return signal ?? inside?.[0] ?? `exit code ${code}`;
}

/** The script of a worker process. */
export const WORKER_PROCESS = join(__dirname, 'worker-process.js');

/** Returns the options of a pool whose workers compress with an engine, and with formats that packages add. */
export function compressingWith({
  engine: { name, memoryFactor, package: enginePackage },
  formatModules = [],
  resultFormats = ResultFormats.builtIn,
  sandbox: mode = 'off',
}: {
  readonly engine: Engine;
  readonly formatModules?: readonly CodecPackage[];
  readonly resultFormats?: ResultFormats;
  readonly sandbox?: SandboxMode;
}) {
  const args = [name, ...formatModules.map(({ path }) => path)];
  const packages = [...(enginePackage ? [enginePackage] : []), ...formatModules];
  return {
    entry: [WORKER_PROCESS, ...args],
    memoryFactor,
    resultFormats,
    sandbox: { mode, trial: [LOAD_TRIAL, ...args], readable: readablePaths(packages) },
  };
}
