/** The fuzzers run: some inputs of each. Hours of them are for `npm run fuzz`; see CONTRIBUTING.md. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../support/folders';

const run = async (script: string, ...args: string[]) => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, script), ...args]);
  return stdout;
};

it('the parsers read or refuse the seeds of their fuzz targets, mutations, and inputs that once failed', async () => {
  const stdout = await run('replay.mjs');
  for (const file of readdirSync(join(__dirname, 'targets')))
    expect(stdout).toMatch(
      new RegExp(`^${basename(file, '.mjs')}: [1-9]\\d* valid inputs, .* 3\\d\\d in total$`, 'm'),
    );
  const [, once] = /^png-rows: \d+ valid inputs, (\d+) that once failed/m.exec(stdout) ?? [];
  expect(Number(once)).toBeGreaterThan(0);
});

it.each(['native', 'squoosh'])('damaged images reach the %s engine, and nothing is found', async (engine) => {
  const out = temporaryFolder();
  const stdout = await run('recipe.mjs', '--seed', '1', '--inputs', '80', '--engine', engine, '--out', out);
  expect(stdout).toMatch(/^ +\d+ done$/m);
  expect(stdout).toMatch(/^ +\d+ undecodable_image$/m);
  expect(stdout).toMatch(/^nothing found$/m);
});

it('damaged requests reach the service, and nothing is found', async () => {
  const stdout = await run('http.mjs', '--seed', '1', '--connections', '40');
  expect(stdout).toMatch(/^[1-9]\d* connections/m);
  expect(stdout).toMatch(/^nothing found$/m);
});
