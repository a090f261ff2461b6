/** A database on a disk of 2 MB that is full: keys can still be revoked. Needs root on Linux to mount that disk. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startService, type Service } from '../support/service';
import { isAvailable } from '../support/services';

const folder = mkdtempSync(join(tmpdir(), 'ics-disk-'));
const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'ics-test', folder]);
const isMounted = isAvailable(mount.status === 0, 'root on Linux, which can mount a disk of 2 MB,');
let service: Service | undefined;

afterAll(async () => {
  await service?.stop('SIGKILL');
  if (isMounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
});

function fillDisk(): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(join(folder, 'filling'), Buffer.alloc(bavail * bsize));
  expect(statfsSync(folder).bavail).toBe(0);
}

(isMounted ? it : it.skip)('revokes every key of an account on a full disk', async () => {
  service = await startService({
    DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
    ACCOUNT_REQUESTS_PER_MINUTE: '0',
  });
  const { url } = service;
  const { apiKey, keyId } = await service.signUp();
  const headers = { 'X-API-Key': apiKey };
  const add = () => fetch(`${url}/api/v1/account/keys`, { method: 'POST', headers });
  const revoke = (id: string) => fetch(`${url}/api/v1/account/keys/${id}`, { method: 'DELETE', headers });
  const others: string[] = [];
  for (let i = 0; i < 19; i++) others.push(((await (await add()).json()) as { keyId: string }).keyId);
  // A restart empties the write-ahead log, so that it has no room left.
  expect(await service.stop()).toBe(0);
  service = await startService({
    DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
    ACCOUNT_REQUESTS_PER_MINUTE: '0',
    PORT: String(service.port),
  });
  fillDisk();
  for (const id of [...others, keyId]) expect((await revoke(id)).status).toBe(204);
  expect((await fetch(`${url}/api/v1/account`, { headers })).status).toBe(401);
});
