import { eventually } from '../support/eventually';
import { sharedClient } from '../support/shared-service';

const service = sharedClient();
const idOf = async (sent: string, path = 'health/live') => {
  const response = await fetch(`${service.url}/${path}`, { headers: { 'X-Request-Id': sent } });
  return response.headers.get('x-request-id');
};

/** What the log has of requests whose path begins so. */
const linesOf = (start: string) => service.logs().filter(({ path }) => String(path).startsWith(start));

it('echoes a valid request id', async () => {
  for (const id of ['trace-42.a', 'a'.repeat(128)]) expect(await idOf(id)).toBe(id);
});

it.each(['a"b <script>', 'a'.repeat(129)])('replaces an invalid request id: %s', async (id) => {
  expect(await idOf(id)).toMatch(/^[\w-]{36}$/);
});

it('neither the log nor the response repeats a key, in whatever encoding it comes', async () => {
  const { apiKey } = await service.signUp();
  const escaped = (text: string) => text.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  const paths = [apiKey, apiKey.replace('_', '%5f'), apiKey.replace('_', '%255F'), escaped(apiKey)];
  const parts = [apiKey.slice(4), `ics_${escaped(apiKey.slice(4))}`, `ics_%2d${apiKey.slice(4)}`];
  const basic = Buffer.from(`api:${apiKey}`).toString('base64url');
  for (const path of [...paths, ...parts, basic]) await fetch(`${service.url}/key-in/${path}`);
  for (const id of [apiKey, `a.${apiKey}`, `${apiKey.toLowerCase()}:1`, basic])
    expect(await idOf(id, 'key-in/id')).toMatch(/^[\w-]{36}$/);
  await eventually(() => expect(linesOf('/key-in/')).toHaveLength(12));
  const log = JSON.stringify(linesOf('/key-in/'));
  const body = apiKey.slice(4, 24);
  for (const secret of [body, body.toLowerCase(), escaped(body), basic]) expect(log).not.toContain(secret);
  expect(log).toContain('"/key-in/ics_..."');
});

it('the log has the path of a request, and neither its query nor its headers', async () => {
  await fetch(`${service.url}/no-such-page?token=as-a-secret`, { headers: { Cookie: 'as-a-secret' } });
  const logged = { path: '/no-such-page', status: 404 };
  await eventually(() => expect(linesOf('/no-such-page')).toMatchObject([logged]));
  expect(JSON.stringify(service.logs())).not.toContain('as-a-secret');
});

it('a long path takes no long line of the log', async () => {
  const words = 'no/such/'.repeat(1800);
  expect((await fetch(`${service.url}/long-path/${words}`)).status).toBe(404);
  const path = `${`/long-path/${words}`.slice(0, 199)}…`;
  await eventually(() => expect(linesOf('/long-path/')).toMatchObject([{ path, status: 404 }]));
});
