import { expectProblem, expectStatus } from '../support/responses';
import { sharedClient } from '../support/shared-service';
import { openSqlite } from '../support/sqlite-file';

const service = sharedClient();
const tight = sharedClient('tight');

const keysOf = (apiKey: string, method = 'GET', path = '') =>
  service.api(`account/keys${path}`, { method, apiKey });

interface Page {
  keys: { keyId: string }[];
  next: string | null;
}

it('an account has at most 20 active keys, and old revoked ones are deleted', async () => {
  const { apiKey } = await service.signUp();
  const created: string[] = [];
  for (let i = 0; i < 19; i++) {
    created.push((await service.addKey(apiKey)).keyId);
  }
  const refused = await expectProblem(keysOf(apiKey, 'POST'), 409, 'too_many_keys');
  expect(refused).toMatchObject({ limit: 20 });
  for (let i = 0; i < 60; i++) {
    await expectStatus(keysOf(apiKey, 'DELETE', `/${created.shift()}`), 204);
    created.push((await service.addKey(apiKey)).keyId);
  }
  const { keys, next } = (await (await keysOf(apiKey)).json()) as Page;
  expect(keys).toHaveLength(40);
  expect(next).toBeNull();
});

it('lists keys stored by earlier versions in pages', async () => {
  const { accountId, apiKey } = await service.signUp();
  const database = openSqlite(service.databaseUrl);
  const insert = database.prepare(
    `INSERT INTO api_keys VALUES (?, ?, ?, 'ics_old', '2020-01-01 00:00:00.000', NULL)`,
  );
  for (let i = 0; i < 250; i++) {
    const id = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
    insert.run(id, accountId, String(i).padStart(64, '0'));
  }
  database.close();
  const sizes: number[] = [];
  const seen = new Set<string>();
  let query = '';
  for (;;) {
    const { keys, next } = (await (await keysOf(apiKey, 'GET', query)).json()) as Page;
    sizes.push(keys.length);
    keys.forEach(({ keyId }) => seen.add(keyId));
    if (!next) break;
    query = `?after=${next}`;
  }
  expect(sizes).toEqual([100, 100, 51]);
  expect(seen.size).toBe(251);
  await expectProblem(keysOf(apiKey, 'GET', '?after=nonsense'), 400, 'invalid_request');
  await expectProblem(keysOf(apiKey, 'GET', '?after=1&after=2'), 400, 'invalid_request');
});

it('limits the requests about an account, not its images', async () => {
  const { apiKey, send } = await tight.signUp();
  const other = await tight.signUp();
  const list = (key: string) => tight.api('account/keys', { apiKey: key });
  for (let i = 0; i < 5; i++) await expectStatus(list(apiKey), 200);
  const response = await tight.api('account/keys', { method: 'POST', apiKey });
  expect(response.headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
  await expectProblem(response, 429, 'rate_limited');
  await expectProblem(tight.api('account', { apiKey }), 429, 'rate_limited');
  await expectStatus(list(other.apiKey), 200);
  await expectProblem(send(Buffer.from('nonsense')), 415, 'unsupported_media_type');
});
