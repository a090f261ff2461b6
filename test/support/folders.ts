/** Folders inside that of the test run, which removes them all when it ends. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const temporaryFolder = () => mkdtempSync(join(process.env['TEST_RUN_FOLDER'] ?? tmpdir(), 'ics-'));
export const temporaryFile = (name: string) => join(temporaryFolder(), name);
