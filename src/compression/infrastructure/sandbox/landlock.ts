/**
 * Confines a worker with Landlock and a filter of system calls, through util-linux's `setpriv`: it reads its
 * own files only, writes none, starts no program, and reaches no network and no other process. Landlock
 * covers files; the filter covers the rest.
 */
import { existsSync, statSync } from 'node:fs';
import type { Sandbox } from './sandbox';
import { filterFile } from './system-call-filter';
import type { WorkerFiles } from './worker-files';

const DEVICES = ['/dev/null', '/dev/urandom'];

/** @param libraries of the system that a worker loads, as absolute paths */
export function landlock(files: WorkerFiles, libraries: readonly string[]): Sandbox {
  const filter = filterFile('landlock');
  const bound = files.bound.map(({ source }) => source);
  const rules = [
    rule('execute,read-file', process.execPath),
    // The dynamic linker is among them, which starts programs.
    ...libraries.map((library) => rule('execute,read-file', library)),
    ...[...bound, ...DEVICES]
      .filter((path) => existsSync(path))
      .map((path) => rule(statSync(path).isDirectory() ? 'read-file,read-dir' : 'read-file', path)),
  ];
  const options = [
    '--no-new-privs',
    '--landlock-access',
    'fs',
    ...rules.flatMap((one) => ['--landlock-rule', one]),
    ...(filter === undefined ? [] : ['--seccomp-filter', filter]),
  ];
  return {
    protection: 'landlock',
    confine: ({ program, args, env }) => ({
      program: 'setpriv',
      args: [...options, '--', program, ...args],
      // The configuration of the system's OpenSSL cannot be read, which would end Node.js.
      env: { ...env, OPENSSL_CONF: '/dev/null' },
    }),
    findPid: (startedPid) => startedPid,
  };
}

function rule(access: string, path: string) {
  return `path-beneath:${access}:${path}`;
}
