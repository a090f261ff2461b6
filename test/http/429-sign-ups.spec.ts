/** Danger: a limit that is used up by what makes no account, such as the requests of a page that its visitor opens. */
import { temporaryFile } from '../support/folders';
import { ownService } from '../support/service';
import { lock } from '../support/sqlite-file';

const LIMIT = 6;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const url = `sqlite:${temporaryFile('service.db')}`;

const service = ownService({ SIGNUP_LIMIT_PER_HOUR: String(LIMIT), DATABASE_URL: url });

async function post(route: string, headers: Record<string, string>, body = '') {
  const response = await service.api(route, { headers, body });
  await response.arrayBuffer();
  return response.status;
}
const signUp = (email: string) => post('accounts', JSON_TYPE, JSON.stringify({ email }));
// As a page of the service opens one.
const openTrial = () => post('trials', { Origin: 'https://example.com', ...JSON_TYPE });
const times = <T>(count: number, work: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => work(i)));

it('refuses what browsers send to other sites without a preflight, and counts none of it', async () => {
  const simple = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
    'text/plain; application/json',
  ];
  const senders = [{ Origin: 'https://example.com' }, { Origin: 'null' }, { 'Sec-Fetch-Site': 'cross-site' }];
  for (const route of ['accounts', 'trials']) {
    for (const sender of senders) {
      for (const type of simple) {
        const headers = { ...sender, 'Content-Type': type };
        const status = 'Sec-Fetch-Site' in sender ? 403 : 400;
        expect([route, headers, await post(route, headers, '{"email":"victim@example.com"}')]).toEqual([
          route,
          headers,
          status,
        ]);
      }
    }
  }
});

it('answers no preflight of a page of another origin', async () => {
  const headers = { Origin: 'https://example.com', 'Access-Control-Request-Method': 'POST' };
  const preflight = await service.api('trials', { method: 'OPTIONS', headers });
  expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
});

it('counts neither incomplete sign-ups nor those that the database could not store', async () => {
  for (const body of ['{}', '{"email":"nobody"}', '{"email":', '[]']) {
    expect(await times(LIMIT, () => post('accounts', JSON_TYPE, body))).toEqual(Array(LIMIT).fill(400));
  }
  const release = lock(url);
  const lost = await times(2 * LIMIT, (i) => (i % 2 ? signUp(`lost-${i}@example.com`) : openTrial()));
  // Concurrent ones are counted until they fail.
  expect(lost.filter((status) => status === 503).length).toBeGreaterThanOrEqual(LIMIT);
  expect(lost).not.toContain(201);
  release();
});

it('counts accounts and trials, and guesses whether an address has an account; also concurrent ones', async () => {
  expect(await signUp('a@example.com')).toBe(201);
  expect([await signUp('a@example.com'), await signUp('A@example.com')]).toEqual([409, 409]);
  const made = await times(10, (i) => (i % 2 ? signUp(`b-${i}@example.com`) : openTrial()));
  expect(made.sort()).toEqual([
    ...Array<number>(LIMIT - 3).fill(201),
    ...Array<number>(10 - LIMIT + 3).fill(429),
  ]);
  expect(await openTrial()).toBe(429);
});
