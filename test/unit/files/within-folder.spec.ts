/** Nothing is read or written through a link below the folder that the user named, also if it appears in the meantime. */
import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../support/folders';
import { withinFolder } from '../../../src/files/within-folder';
import { runJobs, type Job } from '../../../src/cli/images/run-jobs';
import { readWhole, writeWhole } from '../../../src/files/whole-file';
import type { WorkerHandle } from '../../../src/cli/images/workers';
import { readSettings } from '../../../src/settings/settings';
import { graphicPng } from '../../support/images';
import { onLinux } from '../../support/on-linux';
import { resultOf } from '../../support/results';

const graphic = graphicPng(64, 64);
const result = resultOf(Buffer.from('a small result'));
const { policy, knownFormats } = readSettings({}).compression;
let folder: string;
const at = (...names: string[]) => join(folder, ...names);
const text = (...names: string[]) => readFileSync(at(...names), 'utf8');
const write = (path: string) => writeWhole(path, Buffer.from('new'));
beforeEach(() => {
  folder = temporaryFolder();
  for (const name of ['elsewhere', 'root/sub']) mkdirSync(at(name), { recursive: true });
});

function exchange() {
  renameSync(at('root', 'sub'), at('moved'));
  symlinkSync(at('elsewhere'), at('root', 'sub'));
}

it('creates the folders on the way, and the root may be a link', async () => {
  symlinkSync(at('elsewhere'), at('named'));
  await withinFolder(at('named'), at('named', 'a', 'b', 'c.jpg'), write, true);
  await withinFolder(at('new', 'root'), at('new', 'root', 'c.jpg'), write, true);
  expect([text('elsewhere', 'a', 'b', 'c.jpg'), text('new', 'root', 'c.jpg')]).toEqual(['new', 'new']);
});

it('refuses a path that is not below the root', async () => {
  const outside = { code: 'outside_folder' };
  await expect(withinFolder(at('root'), at('elsewhere', 'c.jpg'), write)).rejects.toMatchObject(outside);
  await expect(withinFolder(at('new'), at('new', '..', 'c.jpg'), write, true)).rejects.toMatchObject(outside);
  expect(readdirSync(folder).sort()).toEqual(['elsewhere', 'root']);
});

it.each(['linux', 'darwin'] as const)('refuses a link below the root: %s', async (platform) => {
  const usual = Object.getOwnPropertyDescriptor(process, 'platform')!;
  Object.defineProperty(process, 'platform', { value: platform });
  let refusing = withinFolder;
  jest.isolateModules(() => {
    refusing = jest.requireActual<{ withinFolder: typeof withinFolder }>(
      '../../../src/files/within-folder',
    ).withinFolder;
  });
  Object.defineProperty(process, 'platform', usual);
  exchange();
  for (const creates of [true, false]) {
    for (const name of ['sub/a.jpg', 'sub/deep/a.jpg']) {
      const refused = expect(refusing(at('root'), at('root', name), write, creates)).rejects;
      await refused.toThrow('root/sub is a symbolic link');
    }
  }
  expect(readdirSync(at('elsewhere'))).toEqual([]);
  await refusing(at('root'), at('root', 'other', 'a.jpg'), write, true);
  expect(text('root', 'other', 'a.jpg')).toBe('new');
});

onLinux('a folder that is exchanged while it is used stays the folder that was checked', async () => {
  await withinFolder(at('root'), at('root', 'sub', 'a.jpg'), async (path) => {
    exchange();
    await write(path);
    expect((await readWhole(path)).bytes.toString()).toBe('new');
  });
  expect(readdirSync(at('elsewhere'))).toEqual([]);
  expect(text('moved', 'a.jpg')).toBe('new');
});

it.each([
  ['in place', {}],
  ['in place with a backup', { backup: '.orig' }],
  ['an output', { output: 'out' }],
  ['before it is read', { isFound: true }],
] as const)('a folder that becomes a link after its image was found: %s', async (_, asked) => {
  const isFound = 'isFound' in asked;
  const image = at('root', 'sub', 'a.png');
  writeFileSync(image, graphic);
  writeFileSync(at('elsewhere', 'a.png'), 'not yours');
  const input = { path: image, root: at('root'), shown: 'root/sub/a.png', below: 'sub/a.png' };
  const output = { path: at('root', 'sub', 'small.png'), root: at('root'), shown: 'root/sub/small.png' };
  const job: Job = {
    input,
    output: 'output' in asked ? output : input,
    ...('backup' in asked ? { backup: image + asked.backup } : {}),
  };
  if (isFound) exchange();
  const outcomes: unknown[] = [];
  const run = () => {
    if (!isFound) exchange();
    return Promise.resolve(result);
  };
  const settings = {
    run: run as WorkerHandle['run'],
    ...{ policy, knownFormats, lanes: 1, leavesData: true, leavesLarge: false, keepsFormat: false },
    signal: new AbortController().signal,
    sources: new Set<string>(),
  };
  await runJobs([job], settings, (_job, outcome) => outcomes.push(outcome));
  expect(outcomes).toMatchObject([{ fault: { code: 'symbolic_link' } }]);
  expect(readdirSync(at('elsewhere'))).toEqual(['a.png']);
  expect(text('elsewhere', 'a.png')).toBe('not yours');
  expect(readdirSync(at('moved'))).toEqual(['a.png']);
});
