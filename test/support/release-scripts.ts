import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const root = join(__dirname, '..', '..');

export const temporary = () => mkdtempSync(join(tmpdir(), 'ics-release-'));

export function runScript(
  script: string,
  args: readonly string[],
  programs: Record<string, string>,
  NODE_IMAGE = '',
) {
  const bin = join(temporary(), 'bin');
  mkdirSync(bin);
  const log = join(bin, 'log');
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >>${log}\n${text}\n`, { mode: 0o755 });
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    ...(NODE_IMAGE ? { NODE_IMAGE } : {}),
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts', script), ...args], {
    env,
    encoding: 'utf8',
  });
  return {
    status,
    stdout,
    stderr,
    calls: existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [],
  };
}
