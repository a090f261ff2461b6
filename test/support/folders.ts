/** The folder of the project, and folders inside that of the test run, which removes them all when it ends. */
import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Only ends what would never end, on any machine: an installation may take long. */
const PROGRAM_TIMEOUT_MS = 1_800_000;
/** Of scripts, below the limit of a test. */
const SCRIPT_TIMEOUT_MS = 380_000;

export const ROOT = join(__dirname, '..', '..');

export const temporaryFolder = () => mkdtempSync(join(process.env['TEST_RUN_FOLDER'] ?? tmpdir(), 'ics-'));
export const temporaryFile = (name: string) => join(temporaryFolder(), name);

/** Files by their names within a folder, with slashes. */
export class Folder {
  constructor(readonly folder = temporaryFolder()) {}

  path(name: string) {
    return join(this.folder, name);
  }

  read(name: string): Buffer {
    return readFileSync(this.path(name));
  }

  text(name: string) {
    return this.read(name).toString();
  }

  json(name: string): unknown {
    return JSON.parse(this.text(name));
  }

  put(name: string, content: string | Uint8Array) {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), content);
  }

  /** Runs a program in this folder. */
  program(name: string, args: readonly string[], options: SpawnSyncOptions = {}) {
    return spawnSync(name, args, {
      cwd: this.folder,
      timeout: PROGRAM_TIMEOUT_MS,
      ...options,
      encoding: 'utf8',
    });
  }

  node(...args: readonly string[]) {
    return this.program(process.execPath, args, { timeout: SCRIPT_TIMEOUT_MS });
  }

  files(folder = '') {
    return readdirSync(this.path(folder), { recursive: true }).map(String).sort();
  }
}

export const PROJECT = new Folder(ROOT);
