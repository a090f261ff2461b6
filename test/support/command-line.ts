/** Runs the built command line in a temporary folder: inside this process, or as a process of its own, which takes 0.3 s longer. */
import { spawn, spawnSync, type ChildProcess, type SpawnSyncOptions } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Folder, PROJECT, temporaryFolder } from './folders';
import type * as Program from '../../src/cli/program';

export const CLI = PROJECT.path('dist/cli/main.js');

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly bytes: Buffer;
}

/** The folder of calls inside this process: the program looks only once where it is. */
let folderOfCalls: string | undefined;

/** Runs a command, whose words have no spaces, with these variables alone. */
export const runAlone = (command: string, env: NodeJS.ProcessEnv = {}, { folder: cwd }: Folder = PROJECT) =>
  PROJECT.program(process.execPath, [CLI, ...command.split(' ')], {
    env: { PATH: process.env['PATH'], ...env },
    cwd,
  });

/** Runs it on the accounts in a database. */
export const runOnAccounts = (DATABASE_URL: string, command: string, env: NodeJS.ProcessEnv = {}) =>
  runAlone(command, { DATABASE_URL, ...env });

export class Workplace extends Folder {
  readonly cache = temporaryFolder();

  /** Returns a place for `call`, which is empty when a test of the enclosing block begins. */
  static forCalls() {
    const place = new Workplace(Workplace.emptyFolderForCalls());
    beforeEach(() => {
      Workplace.emptyFolderForCalls();
      rmSync(place.cache, { recursive: true });
      mkdirSync(place.cache);
    });
    return place;
  }

  static emptyFolderForCalls() {
    folderOfCalls ??= temporaryFolder();
    for (const name of readdirSync(folderOfCalls)) rmSync(join(folderOfCalls, name), { recursive: true });
    return folderOfCalls;
  }

  async call(args: readonly string[] | string, env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
    if (this.folder !== folderOfCalls) throw new Error('This place was not made for calls.');
    const before = { ...process.env };
    replaceEnvironment({ ...this.environment(), ...env, ICS_USER_FOLDER: this.folder });
    const [stdout, stderr] = [process.stdout, process.stderr].map(captured);
    try {
      const { run } = jest.requireActual<typeof Program>(PROJECT.path('dist/cli/program.js'));
      const status = await run(typeof args === 'string' ? args.split(' ') : args);
      return { status, stdout: stdout.text(), stderr: stderr.text(), bytes: Buffer.from(stdout.text()) };
    } finally {
      stdout.release();
      stderr.release();
      replaceEnvironment(before);
    }
  }

  run(args: readonly string[], options: SpawnSyncOptions = {}): Outcome {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
      cwd: this.folder,
      maxBuffer: 64 * 1024 * 1024,
      ...options,
      env: { ...this.environment(), ...options.env },
    });
    const bytes = Buffer.from(stdout);
    return { status, stdout: bytes.toString(), stderr: stderr.toString(), bytes };
  }

  /** Runs a command in which "$0" "$1" is the command line. */
  inShell(command: string) {
    return this.program('sh', ['-c', command, process.execPath, CLI], { env: this.environment() });
  }

  start(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, [CLI, ...args], { env: this.environment(), cwd: this.folder });
  }

  /** Returns the output of the program on a terminal with a number of columns. Needs the program `script`. */
  onTerminal(columns: number, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    const command = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(' ');
    const script = ['-qec', `stty cols ${columns} rows 40; ${command}`, '/dev/null'];
    return this.program('script', script, { env: { TERM: 'xterm', ...this.environment(), ...env } }).stdout;
  }

  environment(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      DATABASE_URL: `sqlite:${this.path('service.db')}`,
      XDG_CACHE_HOME: this.cache,
      // A worker costs more than most images of the tests; `--jobs` is tested where it is given.
      WORKERS: '1',
    };
  }
}

function replaceEnvironment(env: NodeJS.ProcessEnv) {
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, env);
}

/** Keeps what is written to a stream, which then is no terminal. */
function captured(stream: NodeJS.WriteStream) {
  const pieces: string[] = [];
  const write = jest.spyOn(stream, 'write').mockImplementation((piece) => {
    pieces.push(piece.toString());
    return true;
  });
  const { isTTY } = stream;
  stream.isTTY = false;
  const release = () => {
    write.mockRestore();
    stream.isTTY = isTTY;
  };
  return { text: () => pieces.join(''), release };
}

/** Without the totals at the end. */
export const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => !('totals' in line));
