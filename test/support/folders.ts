/** The folder of the project, and folders inside that of the test run, which removes them all when it ends. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const ROOT = join(__dirname, '..', '..');

export const temporaryFolder = () => mkdtempSync(join(process.env['TEST_RUN_FOLDER'] ?? tmpdir(), 'ics-'));
export const temporaryFile = (name: string) => join(temporaryFolder(), name);
