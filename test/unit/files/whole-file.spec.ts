import fs from 'node:fs/promises';
import { spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { temporaryFolder } from '../../support/folders';
import { identify, readWhole, replaceWhole, writeWhole } from '../../../src/files/whole-file';

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
  await writeWhole(path('result'), Buffer.from('new'), { like: stats });
  const after = statSync(path('foreign'), { bigint: true });
  const facts = ({ mode, uid, mtimeNs }: typeof before) => [mode, uid, mtimeNs];
  expect(facts(after)).toEqual(facts(before));
  expect(readFileSync(path('foreign'), 'utf8')).toBe('not yours');
  expect(modes).toEqual([0o600]);
  expect(statSync(path('stolen')).mode & 0o7777).toBe(0o644);
  expect(statSync(path('stolen')).mtimeMs).toBe(1_500_000_000_000);
});

it("needs no method that file handles lack under Yarn's Plug'n'Play", async () => {
  writeFileSync(path('source'), 'old');
  await fs.utimes(path('source'), 1_500_000_000, 1_500_000_000);
  const { stats } = await readWhole(path('source'));
  const open = fs.open;
  const lacking = () => Promise.reject(new Error('Method not implemented.'));
  jest.spyOn(fs, 'open').mockImplementation(async (name, ...rest) =>
    // The methods of @yarnpkg/fslib's FileHandle that throw.
    Object.assign(await open(name, ...rest), { sync: lacking, datasync: lacking, utimes: lacking }),
  );
  await replaceWhole(path('source'), Buffer.from('new'), stats);
  expect(readFileSync(path('source'), 'utf8')).toBe('new');
  expect(statSync(path('source')).mtimeMs).toBe(1_500_000_000_000);
});

it('passes no set-uid, set-gid or sticky bit on', async () => {
  writeFileSync(path('source'), 'old');
  await fs.chmod(path('source'), 0o6755);
  const { stats } = await readWhole(path('source'));
  await writeWhole(path('result'), Buffer.from('new'), { like: stats });
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
  await expect(readWhole(path('link'))).rejects.toMatchObject({ code: 'symbolic_link' });
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

async function rewriteWithOldTime() {
  const { atime, mtime, ctimeMs } = statSync(path('source'));
  // The clock of the file system ticks every few milliseconds.
  do writeFileSync(path('source'), 'OLD');
  while (statSync(path('source')).ctimeMs === ctimeMs);
  await fs.utimes(path('source'), atime, mtime);
}

async function replaceByTwin() {
  const { atime, mtime } = statSync(path('source'));
  writeFileSync(path('twin'), 'OLD');
  await fs.utimes(path('twin'), atime, mtime);
  await fs.rename(path('twin'), path('source'));
}

async function replaceByLink() {
  await fs.rename(path('source'), path('elsewhere'));
  await fs.symlink(path('elsewhere'), path('source'));
}

describe('a name that is no regular file', () => {
  const write = (name: string, bytes: Uint8Array = Buffer.from('new')) => writeWhole(path(name), bytes);
  const make = (...command: [string, ...string[]]) =>
    expect(spawnSync(command[0], command.slice(1), { cwd: folder }).status).toBe(0);
  const onUnix = process.platform === 'win32' ? it.skip : it;

  onUnix.each(['pipe', 'link'])('takes all bytes through a pipe: %s', async (name) => {
    make('mkfifo', 'pipe');
    symlinkSync('pipe', path('link'));
    // More than a pipe holds. Opened for both, so that it is open before anything is written.
    const reader = openSync(path('pipe'), constants.O_RDWR);
    const { stdout } = spawn('head', ['-c', '3000000'], { stdio: [reader, 'pipe', 'inherit'] });
    const [read] = await Promise.all([text(stdout!), write(name, Buffer.alloc(3_000_000, 'x'))]);
    closeSync(reader);
    expect(read).toBe('x'.repeat(3_000_000));
    expect(lstatSync(path('pipe')).isFIFO()).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['link', 'pipe']);
  });

  onUnix('waits for no reader of a pipe, and says when it ends early', async () => {
    make('mkfifo', 'pipe');
    await expect(write('pipe')).rejects.toMatchObject({ code: 'ENXIO' });
    const reader = openSync(path('pipe'), constants.O_RDONLY | constants.O_NONBLOCK);
    const written = expect(write('pipe', Buffer.alloc(3_000_000))).rejects.toMatchObject({ code: 'EPIPE' });
    while (readOne(reader) === 0) await new Promise(setImmediate);
    closeSync(reader);
    await written;
    expect(lstatSync(path('pipe')).isFIFO()).toBe(true);
  });

  (isRoot ? it : it.skip)('takes bytes into a device, which stays one', async () => {
    const { status } = spawnSync('mknod', ['null', 'c', '1', '3'], { cwd: folder });
    if (status !== 0) return console.warn('SKIPPED: devices cannot be made here.');
    symlinkSync('null', path('link'));
    for (const name of ['null', 'link']) await write(name);
    const kinds = ['null', 'link'].map((name) => lstatSync(path(name)));
    expect(kinds.map((entry) => [entry.isCharacterDevice(), entry.isSymbolicLink()])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(readdirSync(folder).sort()).toEqual(['link', 'null']);
  });

  it('refuses a link to a file or to nothing', async () => {
    writeFileSync(path('file'), 'old');
    symlinkSync('file', path('link'));
    symlinkSync('nothing', path('dangling'));
    for (const name of ['link', 'dangling'])
      await expect(write(name)).rejects.toMatchObject({ code: 'symbolic_link' });
    expect(readFileSync(path('file'), 'utf8')).toBe('old');
    expect(readdirSync(folder).sort()).toEqual(['dangling', 'file', 'link']);
  });

  onUnix('refuses a socket', async () => {
    const server = createServer();
    await new Promise<void>((done) => server.listen(path('socket'), done));
    await expect(write('socket')).rejects.toMatchObject({ code: 'not_a_file' });
    expect(lstatSync(path('socket')).isSocket()).toBe(true);
    await new Promise((done) => server.close(done));
  });
});

it('never replaces a source, whatever name leads to it', async () => {
  writeFileSync(path('source'), 'old');
  symlinkSync('source', path('link'));
  linkSync(path('source'), path('hard-link'));
  symlinkSync('.', path('folder'));
  const sources = await identify([path('source'), path('missing')]);
  for (const name of ['source', 'link', 'hard-link', 'folder/source']) {
    const written = writeWhole(path(name), Buffer.from('new'), { sources });
    await expect(written).rejects.toMatchObject({ code: 'is_input' });
  }
  await writeWhole(path('other'), Buffer.from('new'), { sources });
  expect(['source', 'other'].map((name) => readFileSync(path(name), 'utf8'))).toEqual(['old', 'new']);
});

/** The number of bytes that a pipe has by now. */
function readOne(reader: number) {
  try {
    return readSync(reader, Buffer.alloc(1));
  } catch {
    return 0;
  }
}
