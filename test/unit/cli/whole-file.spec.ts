import fs from 'node:fs/promises';
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folders';
import { readWhole, replaceWhole, writeWhole } from '../../../src/cli/images/whole-file';

const isRoot = process.getuid?.() === 0;
let folder: string;
const path = (name: string) => join(folder, name);
beforeEach(() => (folder = temporaryFolder()));
afterEach(() => jest.restoreAllMocks());

it('gives mode, owner and times to the file it wrote, not to what a link of its name points to', async () => {
  await fs.writeFile(path('source'), 'old');
  if (isRoot) await fs.chown(path('source'), 1234, 1234);
  await fs.chmod(path('source'), 0o644);
  await fs.utimes(path('source'), 1_500_000_000, 1_500_000_000);
  await fs.writeFile(path('foreign'), 'not yours', { mode: 0o600 });
  const before = statSync(path('foreign'), { bigint: true });
  const { stats } = await readWhole(path('source'));
  const open = fs.open;
  const modes: number[] = [];
  jest.spyOn(fs, 'open').mockImplementation(async (name, ...rest) => {
    const file = await open(name, ...rest);
    modes.push((await file.stat()).mode & 0o777);
    // What another user of the folder may do as soon as the temporary file exists.
    await fs.rename(String(name), path('stolen'));
    await fs.symlink(path('foreign'), String(name));
    return file;
  });
  await writeWhole(path('result'), Buffer.from('new'), stats);
  const after = statSync(path('foreign'), { bigint: true });
  const facts = ({ mode, uid, mtimeNs }: typeof before) => [mode, uid, mtimeNs];
  expect(facts(after)).toEqual(facts(before));
  expect(readFileSync(path('foreign'), 'utf8')).toBe('not yours');
  expect(modes).toEqual([0o600]);
  expect(statSync(path('stolen')).mode & 0o7777).toBe(0o644);
  expect(statSync(path('stolen')).mtimeMs).toBe(1_500_000_000_000);
});

it('passes no set-uid, set-gid or sticky bit on', async () => {
  writeFileSync(path('source'), 'old');
  await fs.chmod(path('source'), 0o6755);
  const { stats } = await readWhole(path('source'));
  await writeWhole(path('result'), Buffer.from('new'), stats);
  expect(statSync(path('result')).mode & 0o7777).toBe(0o755);
});

it('gives a new file the mode that the umask allows', async () => {
  await writeWhole(path('result'), Buffer.from('new'));
  writeFileSync(path('usual'), 'new');
  expect(statSync(path('result')).mode).toBe(statSync(path('usual')).mode);
});

it('reads no link and no pipe', async () => {
  writeFileSync(path('source'), 'old');
  await fs.symlink(path('source'), path('link'));
  await expect(readWhole(path('link'))).rejects.toMatchObject({ code: 'ELOOP' });
  await expect(readWhole('/dev/null')).rejects.toThrow('not a regular file');
});

it.each([
  ['written to, with its time set back', () => rewriteWithOldTime()],
  ['replaced by another of the same size and time', () => replaceByTwin()],
  ['replaced by a link', () => replaceByLink()],
])('leaves a file alone that was %s meanwhile', async (_, change) => {
  writeFileSync(path('source'), 'old');
  const { stats } = await readWhole(path('source'));
  await change();
  const before = readFileSync(path('source'), 'utf8');
  await expect(replaceWhole(path('source'), Buffer.from('new'), stats)).rejects.toThrow('It was changed');
  expect(readFileSync(path('source'), 'utf8')).toBe(before);
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

async function rewriteWithOldTime(): Promise<void> {
  const { atime, mtime, ctimeMs } = statSync(path('source'));
  // The clock of the file system ticks every few milliseconds.
  do writeFileSync(path('source'), 'OLD');
  while (statSync(path('source')).ctimeMs === ctimeMs);
  await fs.utimes(path('source'), atime, mtime);
}

async function replaceByTwin(): Promise<void> {
  const { atime, mtime } = statSync(path('source'));
  writeFileSync(path('twin'), 'OLD');
  await fs.utimes(path('twin'), atime, mtime);
  await fs.rename(path('twin'), path('source'));
}

async function replaceByLink(): Promise<void> {
  await fs.rename(path('source'), path('elsewhere'));
  await fs.symlink(path('elsewhere'), path('source'));
}
