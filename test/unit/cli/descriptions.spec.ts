/** Commands that write the same set.json at the same time keep the sets of all. */
import { mkdirSync, readdirSync, utimesSync } from 'node:fs';
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

it('takes over the lock of a command that was killed', async () => {
  const path = temporaryFile('set.json');
  mkdirSync(`${path}.lock`);
  const before = new Date(Date.now() - 60_000);
  utimesSync(`${path}.lock`, before, before);
  await addDescriptions(path, new Map([['photo', description]]));
  expect((await readDescriptions(path)).size).toBe(1);
});
