import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFile, temporaryFolder } from '../support/folders';
import { startService, type Service } from '../support/service';

let service: Service;
afterEach(() => service.stop('SIGKILL'));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const ready = async () => (await fetch(`${service.url}/health/ready`)).text();

it('keeps the database from other users of the machine', async () => {
  const parent = temporaryFolder();
  const folder = join(parent, 'data');
  service = await startService({ DATABASE_URL: `sqlite:${join(folder, 'service.db')}` });
  await service.signUp();
  expect(modeOf(folder)).toBe('700');
  const files = readdirSync(folder);
  expect(files).toEqual(expect.arrayContaining(['service.db', 'service.db-wal']));
  expect(files.map((file) => modeOf(join(folder, file)))).toEqual(files.map(() => '600'));
});

it('removes the permissions of others from a database of an earlier version', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'service.db');
  writeFileSync(file, '');
  chmodSync(file, 0o644);
  service = await startService({ DATABASE_URL: `sqlite:${file}` });
  expect(modeOf(file)).toBe('600');
});

it('is not ready once the database file was deleted or replaced', async () => {
  const file = temporaryFile('service.db');
  service = await startService({ DATABASE_URL: `sqlite:${file}` });
  expect(await ready()).toContain('"database":{"status":"up"}');
  rmSync(file);
  expect(await ready()).toContain('"status":"error"');
  writeFileSync(file, '');
  expect(await ready()).toContain('deleted or replaced');
});
