import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { formatOf, put, QOI } from './package-folder';

const RUN = join(__dirname, '..', 'conformance', 'run.mjs');

function verdictsOf(name: string, code: string, seconds: number) {
  put(`${name}.json`, formatOf({}));
  const args = [RUN, put(`${name}.mjs`, `${QOI}\n${code}`), String(seconds)];
  return spawnSync(process.execPath, args, { encoding: 'utf8' });
}

it('names the check that fails, and goes on', () => {
  const { status, stdout } = verdictsOf(
    'random',
    `const { encodeLosslessly } = format;
    format.encodeLosslessly = async (pixels) =>
      Buffer.concat([await encodeLosslessly(pixels), Buffer.from(String(Math.random()))]);`,
    60,
  );
  expect(stdout).toMatch(/the same image gives the same bytes.* FAIL\n +without loss, 1 × 1/);
  expect(stdout).toMatch(
    /damaged bytes are refused.* ok\nMeasured, for the manifest:\n {2}"bytesPerPixel": \d/,
  );
  expect([status, stdout.trim().split('\n').at(-1)]).toEqual([1, '2 of 9 checks failed.']);
});

it.each([
  ['endless', 'format.encodeLosslessly = () => { for (;;); };', 2, 'did not finish within 2 s'],
  ['silent', 'format.decode = () => new Promise(() => {});', 60, 'ended the process: exit code 1'],
  ['exits', 'format.decode = () => process.kill(process.pid, "SIGKILL");', 60, 'ended the process: SIGKILL'],
])('a package that is %s ends the kit', (name, code, seconds, cause) => {
  const { status, stdout } = verdictsOf(name, code, seconds);
  expect([status, stdout]).toEqual([1, expect.stringContaining(`... FAIL\n    ${cause}\n`)]);
});

it('says what a package lacks', () => {
  put('bare.json', { apiVersion: 1 });
  const { status, stdout } = spawnSync(process.execPath, [RUN, put('bare.mjs', '')], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([
    1,
    expect.stringContaining('it declares neither a format nor an engine'),
  ]);
});
