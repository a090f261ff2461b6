import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PROJECT, ROOT, temporaryFile } from './folders';

/** An installation would replace the packages that the tests run from. */
const npm = `case $PWD/$1 in ${ROOT}/ci|${ROOT}/install) echo "Run npm ci first." >&2; exit 1;; esac
PATH="\${PATH#*:}"; exec npm "$@"`;

export function runScript(
  script: string,
  args: readonly string[],
  programs: Record<string, string>,
  NODE_IMAGE = '',
) {
  const bin = temporaryFile('bin');
  mkdirSync(bin);
  const log = join(bin, 'log');
  for (const [name, text] of Object.entries({ npm, ...programs }))
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${name} $*" >>${log}\n${text}\n`, { mode: 0o755 });
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
    ...(NODE_IMAGE ? { NODE_IMAGE } : {}),
  };
  const ended = PROJECT.program(process.execPath, [`scripts/${script}`, ...args], { env });
  return { ...ended, calls: existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [] };
}
