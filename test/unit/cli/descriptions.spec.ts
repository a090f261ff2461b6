/** Commands that write the same set.json at the same time keep the sets of all. */
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFile } from '../../support/folders';
import { addDescriptions, readDescriptions } from '../../../src/cli/set/descriptions';

const description = { files: [], leftOut: [], failed: [], markup: '', notes: [] };

it('keeps what others have written since, also under the name __proto__', async () => {
  const folder = temporaryFile('new');
  const path = join(folder, 'set.json');
  const names = ['__proto__', ...Array.from({ length: 9 }, (_, i) => `photo-${i}`)];
  await Promise.all(names.map((name) => addDescriptions(path, new Map([[name, description]]))));
  const written = await readDescriptions(path);
  expect([...written.keys()].sort()).toEqual([...names].sort());
  expect(written.get('__proto__')).toEqual(description);
  expect(readdirSync(folder)).toEqual(['set.json']);
});

const minuteOld = (path: string) => {
  const before = new Date(Date.now() - 60_000);
  utimesSync(path, before, before);
};

it('names what is in the way of the lock, instead of waiting for ever', async () => {
  const path = temporaryFile('set.json');
  writeFileSync(`${path}.lock`, '');
  minuteOld(`${path}.lock`);
  const adding = addDescriptions(path, new Map());
  await expect(adding).rejects.toThrow('set.json.lock is in the way. Remove it.');
});

it('takes over the lock of a command that was killed', async () => {
  const path = temporaryFile('set.json');
  mkdirSync(`${path}.lock`);
  minuteOld(`${path}.lock`);
  await addDescriptions(path, new Map([['photo', description]]));
  expect((await readDescriptions(path)).size).toBe(1);
});
