/** Runs the built command line as a process in a temporary folder. */
import { spawn, spawnSync, type ChildProcess, type SpawnSyncOptions } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const CLI = join(__dirname, '..', '..', 'dist', 'cli', 'main.js');

export interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as bytes. */
  readonly bytes: Buffer;
}

export class Workplace {
  readonly folder = mkdtempSync(join(tmpdir(), 'ics-cli-'));
  /** The folder in which the program remembers earlier runs. */
  readonly cache = mkdtempSync(join(tmpdir(), 'ics-cache-'));

  path(name: string): string {
    return join(this.folder, name);
  }

  put(name: string, content: string | Uint8Array): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  /** The names of all files and folders, sorted. */
  files(): string[] {
    return readdirSync(this.folder, { recursive: true }).map(String).sort();
  }

  run(args: readonly string[], options: SpawnSyncOptions = {}): Outcome {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
      cwd: this.folder,
      maxBuffer: 64 * 1024 * 1024,
      ...options,
      env: { ...this.env(), ...options.env },
    });
    const bytes = Buffer.from(stdout);
    return { status, stdout: bytes.toString(), stderr: stderr.toString(), bytes };
  }

  start(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, [CLI, ...args], { env: this.env(), cwd: this.folder });
  }

  /** Returns the output of the program on a terminal with a number of columns. Needs the program `script`. */
  onTerminal(columns: number, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
    const command = [process.execPath, CLI, ...args].map((word) => `'${word}'`).join(' ');
    const { stdout } = spawnSync(
      'script',
      ['-qec', `stty cols ${columns} rows 40; ${command}`, '/dev/null'],
      { cwd: this.folder, env: { TERM: 'xterm', ...this.env(), ...env }, encoding: 'utf8' },
    );
    return stdout;
  }

  private env(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      DATABASE_URL: `sqlite:${this.path('service.db')}`,
      XDG_CACHE_HOME: this.cache,
      // A worker costs more than most images of the tests; `--jobs` is tested where it is given.
      WORKERS: '1',
    };
  }
}

/** Reads output of one JSON object per line. */
export const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
