/** The folder of the project, and folders inside that of the test run, which removes them all when it ends. */
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

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

  files(folder = '') {
    return readdirSync(this.path(folder), { recursive: true }).map(String).sort();
  }
}

export const PROJECT = new Folder(ROOT);
