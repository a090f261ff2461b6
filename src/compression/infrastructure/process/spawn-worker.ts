/** Starts a worker process in its sandbox, with few environment variables and one pipe, and describes how one ended. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Duplex } from 'node:stream';
import type { CompressionSettings } from '../../compression.settings';
import { readablePaths } from '../../packages/codec-package';
import type { Command, Sandbox } from '../sandbox/sandbox';

/** Those of Node and the dynamic linker; no secrets. */
const PASSED_VARIABLES = /^(PATH|NODE_OPTIONS|LD_.*|MALLOC_.*|DYLD_.*|TZ|SystemRoot|TEMP|TMP|TMPDIR)$/;
/** One for the codec and one spare. The default of 4 would only use memory. */
const LIBUV_THREADS = '2';
/** glibc gives each thread its own heap, which keeps freed memory: 12 megapixels peaked at 690 MB instead of 440 MB. */
const GLIBC_ARENAS = '1';
/** libvips would decode other formats above 100 MB into a file, for which workers have no folder. */
const NO_FILES = '1000g';
/** V8 counts pixels too, and would collect the whole heap for each image: a fifth of the time of a small one. */
const WORKER_FLAGS = ['--expose-gc', '--initial-old-space-size=64'] as const;

/** Has the kernel kill a program with this process: a stopped process does not notice that the service has ended. */
const KILLED_WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--'] as const;

let isSupported: boolean | undefined;

/** Whether workers can be suspended: on Linux with util-linux 2.33 or newer. */
export function canSuspendProcesses(): boolean {
  const [setpriv, ...args] = KILLED_WITH_PARENT;
  return (isSupported ??= process.platform === 'linux' && spawnSync(setpriv, [...args, 'true']).status === 0);
}

export function signalProcess(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(pid, signal);
  } catch {
    // It has exited.
  }
}

function workerEnvironment(): Command['env'] {
  return {
    MALLOC_ARENA_MAX: GLIBC_ARENAS,
    ...Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value = '']) =>
        PASSED_VARIABLES.test(name) ? [[name, value]] : [],
      ),
    ),
    UV_THREADPOOL_SIZE: LIBUV_THREADS,
    VIPS_DISC_THRESHOLD: NO_FILES,
  };
}

const O_CLOEXEC = 0o2000000;
/** After standard input, output and error, and the messages. */
const FIRST_INHERITED_FD = 4;

/** If the system has no file descriptors or processes left, the streams stay silent and the process emits `error`. */
export function spawnWorker(entry: readonly string[], sandbox: Sandbox, canSuspend = false) {
  const args = [...WORKER_FLAGS, ...entry];
  const command = sandbox.confine({ program: process.execPath, args, env: workerEnvironment() });
  // bubblewrap's command ends with this process by itself.
  const wrapper = canSuspend && sandbox.protection !== 'bubblewrap' ? KILLED_WITH_PARENT : [];
  const [program, ...rest] = [...wrapper, command.program, ...command.args];
  const child: ChildProcess = spawn(program, rest, {
    // Standard output carries results and logs of this process, and libraries print messages about damaged files to it.
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', ...inheritedReplaced],
    env: command.env,
    // A session without a terminal, and a process group that killWorker can kill.
    detached: sandbox.protection === 'bubblewrap',
  });
  const pipes = child.stdio as (Duplex | undefined)[] | undefined;
  const messages = pipes?.[3] ?? new PassThrough();
  const errors = pipes?.[2] ?? new PassThrough();
  // The exit that follows reports a broken pipe.
  for (const stream of [messages, errors]) stream.on('error', () => undefined);
  return { process: child, messages, errors };
}

/** A parent may have left a lock, a log or a pipe with a secret open. No program inherits files of Node.js. */
const inheritedReplaced = replacements();

function replacements(): readonly (number | 'ignore')[] {
  const open = existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').map(Number) : [];
  const inherited = open.filter((fd) => fd >= FIRST_INHERITED_FD && isInherited(fd));
  if (inherited.length === 0) return [];
  const nothing = openSync('/dev/null', 'r');
  const count = Math.max(...inherited) - FIRST_INHERITED_FD + 1;
  return Array.from({ length: count }, (_, i) =>
    inherited.includes(FIRST_INHERITED_FD + i) ? nothing : 'ignore',
  );
}

function isInherited(fd: number) {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // The descriptor that read the folder; it is closed by now.
    return false;
  }
}

/** Kills the group of bubblewrap: its reaper waits forever for a monitor that dies before the namespace exists. */
export function killWorker(child: ChildProcess, { protection }: Sandbox): void {
  if (protection === 'bubblewrap' && child.pid !== undefined) signalProcess(-child.pid, 'SIGKILL');
  else child.kill('SIGKILL');
}

/** bubblewrap exits with 128 and the number of the signal that ended its program. */
export function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  const number = (code ?? 0) - 128;
  const inside = Object.entries(constants.signals).find(([, each]) => each === number);
  return signal ?? inside?.[0] ?? `exit code ${code}`;
}

export const WORKER_PROCESS = join(__dirname, 'worker-process.js');

/** Returns what the settings say of a pool of workers. */
export function compressingWith({
  engine: { name, memoryFactor, package: enginePackage },
  formatModules,
  knownFormats,
  sandbox: mode,
  pool: { workers },
  memory: { pixelBytes, imageBytes: maxImageBytes },
}: CompressionSettings) {
  const args = [name, ...formatModules.map(({ path }) => path)];
  const packages = [...(enginePackage ? [enginePackage] : []), ...formatModules];
  return {
    entry: [WORKER_PROCESS, ...args],
    workers,
    pixelBytes,
    maxImageBytes,
    memoryFactor,
    knownFormats,
    sandbox: {
      mode,
      readable: readablePaths(packages),
      packages: packages.map(({ specifier }) => specifier),
    },
  };
}
