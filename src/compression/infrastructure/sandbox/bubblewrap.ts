/**
 * bubblewrap: namespaces of its own, no capabilities, and a read-only file system with Node.js and the worker's files.
 *
 * - There is no /proc: a worker sees no other process, and container runtimes forbid to mount one.
 * - /tmp is read-only: from a writable folder a worker could start programs, for lack of `noexec`.
 * - A shell starts bubblewrap, whose monitor runs outside and its reaper inside; its only child is the worker.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Command, Sandbox } from './sandbox';
import { filterFile } from './system-call-filter';
import type { WorkerFiles } from './worker-files';

/**
 * The service decides when its workers stop, not Ctrl+C or systemd; programs of the shell ignore them too.
 * When the service ends, the kernel sends USR1 to the shell, which kills its process group. `--die-with-parent` alone
 * would kill the monitor, and the reaper waits forever for one that dies before the namespace exists.
 */
const SHELL = [
  ...['setpriv', '--pdeathsig', 'USR1', '--', 'sh', '-c'],
  `trap "" INT TERM; trap 'kill -KILL -$$' USR1; "$@" 9<"$0" & wait $!; exit $?`,
] as const;
const ISOLATION = [
  ...['--unshare-user', '--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'],
  '--clearenv',
] as const;
/** Devices that libraries open. */
const DEVICES = ['/dev/null', '/dev/urandom'];
const NODE = '/bin/node';
const LIBRARIES = '/lib';

/** @param libraries of the system that a worker loads, as absolute paths */
export function bubblewrap(files: WorkerFiles, libraries: readonly string[]): Sandbox {
  const filter = filterFile('bubblewrap');
  const bound = [
    ...libraries.map((source) => ({ source, path: placeOfLibrary(source) })),
    { source: process.execPath, path: NODE },
    ...files.bound,
  ];
  const isolation = [
    ...ISOLATION,
    ...(filter === undefined ? [] : ['--seccomp', '9']),
    ...bound.flatMap(({ source, path }) => ['--ro-bind', source, path]),
    ...DEVICES.flatMap((device) => ['--dev-bind', device, device]),
    ...[...files.links].flatMap(([path, target]) => ['--symlink', target, path]),
    ...['--dir', '/tmp', '--remount-ro', '/', '--chdir', '/'],
  ];
  return {
    protection: 'bubblewrap',
    confine({ args, env }) {
      const variables = Object.entries({ ...env, ...loaderVariables(env) }).filter(
        ([name]) => !HOST_PATHS.test(name),
      );
      const [program, ...rest] = [
        ...SHELL,
        filter ?? '/dev/null',
        'bwrap',
        ...isolation,
        ...variables.flatMap(([name, value]) => ['--setenv', name, value]),
        ...['--', NODE, ...args.map((argument) => files.inside(argument))],
      ];
      // bubblewrap itself gets no other variable.
      return { program, args: rest, env: 'PATH' in env ? { PATH: env['PATH'] } : {} };
    },
    findPid: (startedPid) => firstChild(firstChild(firstChild(startedPid))),
  };
}

/** Variables that name folders outside. */
const HOST_PATHS = /^(PATH|TEMP|TMP|TMPDIR)$/;

/** The path of the dynamic linker is written in programs; it looks for libraries in LIBRARIES. */
function placeOfLibrary(library: string) {
  return /^ld-/.test(basename(library)) ? library : `${LIBRARIES}/${basename(library)}`;
}

function loaderVariables(env: Command['env']): Command['env'] {
  const found = { LD_LIBRARY_PATH: LIBRARIES };
  if (!('LD_PRELOAD' in env)) return found;
  const names = env['LD_PRELOAD'].split(/[\s:]+/).map((library) => basename(library));
  return { ...found, LD_PRELOAD: names.join(':') };
}

/** Returns undefined once the process has ended. */
function firstChild(pid: number | undefined) {
  if (pid === undefined) return undefined;
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ');
    return Number(child) || undefined;
  } catch {
    return undefined;
  }
}
