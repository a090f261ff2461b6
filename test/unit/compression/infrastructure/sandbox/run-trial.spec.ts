import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomeOf } from '../../../../../src/compression/infrastructure/sandbox/open-sandbox';
import { eventually } from '../../../../support/eventually';

const env = { PATH: process.env['PATH'] ?? '' };
const shell = (script: string, ...args: string[]) => ({ program: 'sh', args: ['-c', script, ...args], env });

it.each([
  ['its outcome', shell('echo \'{"libraries":[]}\''), { libraries: [] }],
  ['its first error', shell('echo denied >&2; echo more >&2; exit 1'), { fault: 'denied' }],
  ['how it ended', shell('exit 3'), { fault: 'exit code 3' }],
  ['that it prints without end', shell('yes'), { fault: 'it prints too much' }],
  [
    'its outcome among other lines',
    shell('echo hi; echo \'{"libraries":[]}\'; echo "{}"'),
    { libraries: [] },
  ],
  [
    'which package it was loading',
    shell('echo \'{"loading":"/x"}\'; exit 0'),
    { fault: /^\/x ended.*exit code 0$/ },
  ],
  ['what is missing', { program: 'no-such-program', args: [], env }, { fault: /needs no-such-program/ }],
])('returns %s', async (_, command, outcome) => {
  const expected = 'fault' in outcome ? { fault: expect.stringMatching(outcome.fault) as string } : outcome;
  expect(await outcomeOf(command)).toEqual(expected);
});

(process.platform === 'linux' ? it : it.skip)('ends all processes of a trial that hangs', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'ics-trial-')), 'pid');
  // Repeated in case the shell has not begun by then.
  for (let ms = 100; !existsSync(file); ms *= 2) {
    const trial = shell('sleep 1000 & echo $! >"$0.new" && mv "$0.new" "$0" && wait', file);
    expect(await outcomeOf(trial, ms)).toEqual({ fault: `it took longer than ${ms / 1000} s` });
  }
  const status = `/proc/${readFileSync(file, 'utf8').trim()}/status`;
  await eventually(() => {
    const state = existsSync(status) ? /^State:\s+(\w)/m.exec(readFileSync(status, 'utf8'))?.[1] : 'gone';
    expect(['Z', 'gone']).toContain(state);
  });
});
