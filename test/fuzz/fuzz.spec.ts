/** The fuzzers run: some inputs of each. Hours of them are for `npm run fuzz`. */
import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = async (script: string, ...args: string[]) => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(__dirname, script),
    '--seed',
    '1',
    ...args,
  ]);
  return stdout;
};

it.each(['native', 'squoosh'])('damaged images reach the %s engine, and nothing is found', async (engine) => {
  const out = mkdtempSync(join(tmpdir(), 'ics-fuzz-'));
  const stdout = await run('fuzz.mjs', '--inputs', '80', '--engine', engine, '--out', out);
  expect(stdout).toMatch(/^ +\d+ done$/m);
  expect(stdout).toMatch(/^ +\d+ undecodable_image$/m);
  expect(stdout).toMatch(/^nothing found$/m);
});

it('damaged requests reach the service, and nothing is found', async () => {
  const stdout = await run('http.mjs', '--connections', '40');
  expect(stdout).toMatch(/^[1-9]\d* connections/m);
  expect(stdout).toMatch(/^nothing found$/m);
});
