/**
 * Type-checks each commit between a base and HEAD in a temporary worktree, so that every one of them can be bisected; also checks
 * that subjects have at most 72 characters. `npm run check:commits [BASE]`; the base is the upstream branch, or main.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepare, root } from './prepare.mjs';

const LONGEST_SUBJECT = 72;

/** Runs git and returns what it prints; undefined if it fails. */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const base = process.argv[2] ?? git('rev-parse', '--abbrev-ref', '@{upstream}') ?? 'main';
const listed = git('rev-list', '--reverse', '--no-merges', `${base}..HEAD`);
if (listed === undefined) {
  console.error(`${base} is not a commit of this repository.`);
  process.exit(2);
}
const commits = listed.split('\n').filter(Boolean);
await prepare('tests');
const folder = mkdtempSync(join(tmpdir(), 'ics-commits-'));
const worktree = join(folder, 'worktree');
let faulty = 0;
try {
  for (const commit of commits) {
    const faults = faultsOf(commit);
    console.log(`${faults.length > 0 ? 'FAULT' : 'ok   '} ${git('log', '-1', '--format=%h %s', commit)}`);
    for (const fault of faults) console.log(fault);
    if (faults.length > 0) faulty++;
  }
} finally {
  git('worktree', 'remove', '--force', worktree);
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${commits.length} commits since ${base}, ${faulty} with faults`);
process.exit(faulty > 0 ? 1 : 0);

/** What is wrong with the commit, as lines. The dependencies are those that are installed here. */
function faultsOf(commit) {
  const { length } = git('log', '-1', '--format=%s', commit);
  const faults =
    length > LONGEST_SUBJECT ? [`The subject has ${length} characters, ${LONGEST_SUBJECT} are allowed.`] : [];
  git('worktree', 'remove', '--force', worktree);
  if (git('worktree', 'add', '--detach', worktree, commit) === undefined)
    return [...faults, 'It cannot be checked out.'];
  symlinkSync(join(root, 'node_modules'), join(worktree, 'node_modules'), 'junction');
  const options = { cwd: worktree, encoding: 'utf8', shell: process.platform === 'win32' };
  const { status, stdout } = spawnSync('npm', ['run', '-s', 'check:types'], options);
  return status === 0 ? faults : [...faults, (stdout ?? '').trimEnd()];
}
