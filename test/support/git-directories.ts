/** Folders that git takes for its own: their configuration and their index are a stranger's. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MISSING = '1'.repeat(40);
const SHA1_BYTES = 20;

export interface GitDirectory {
  /** Files that the index lists besides its .gitignore. They may begin with `../` or `.git/`, as in no index that git writes. */
  readonly tracked: readonly string[];
  readonly config: string;
}

/** Lays out a git directory whose index lists a .gitignore that is not among its objects, so that git fetches it. */
export function layOutGitDirectory(folder: string, workTree: string, { tracked, config }: GitDirectory) {
  for (const name of ['objects', 'refs']) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'keep'), '');
  }
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n');
  const git = (args: readonly string[], input = '') => {
    const env = { PATH: process.env['PATH'], GIT_DIR: folder, GIT_WORK_TREE: workTree };
    const { status, stderr } = spawnSync('git', args, { cwd: workTree, env, input, encoding: 'utf8' });
    if (status !== 0 || stderr !== '') throw new Error(stderr);
  };
  const entries = ['.gitignore', ...tracked].map((name) => `100644 ${MISSING} 0\t${disguised(name)}\n`);
  git(['update-index', '--index-info'], entries.join(''));
  git(['update-index', '--skip-worktree', '.gitignore']);
  writeFileSync(join(folder, 'index'), unmasked(readFileSync(join(folder, 'index'))));
  const core = `[core]\n repositoryformatversion = 1\n bare = false\n worktree = ${workTree}\n`;
  writeFileSync(join(folder, 'config'), core + config);
}

/** Starts of names that git refuses to add, but not to read; each with one that is as long and sorted alike. */
const DISGUISES = [
  ['../', '.+/'],
  ['.git/', '.gis/'],
] as const;

function disguised(name: string) {
  const found = DISGUISES.find(([start]) => name.startsWith(start));
  return found ? found[1] + name.slice(found[0].length) : name;
}

function unmasked(index: Buffer): Buffer {
  let entries = index.subarray(0, -SHA1_BYTES).toString('latin1');
  for (const [start, disguise] of DISGUISES) entries = entries.replaceAll(disguise, start);
  const bytes = Buffer.from(entries, 'latin1');
  return Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]);
}
