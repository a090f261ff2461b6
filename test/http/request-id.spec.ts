/** Every response names its request, and the log has a line for it, without its query. */
import { eventually } from '../support/eventually';
import type { ServiceClient } from '../support/service';
import { sharedService } from '../support/shared-service';

let service: ServiceClient;
beforeAll(async () => {
  service = await sharedService();
});

describe('request id', () => {
  it('echoes a valid request id', async () => {
    for (const id of ['trace-42.a', 'a'.repeat(128)]) {
      const response = await fetch(`${service.url}/health/live`, { headers: { 'X-Request-Id': id } });
      expect(response.headers.get('x-request-id')).toBe(id);
    }
  });

  it.each(['a"b <script>', 'a'.repeat(129)])('replaces an invalid request id: %s', async (id) => {
    const response = await fetch(`${service.url}/health/live`, { headers: { 'X-Request-Id': id } });
    expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });
});

it('the log has the path of a request, and neither its query nor its headers', async () => {
  await fetch(`${service.url}/no-such-page?token=as-a-secret`, { headers: { Cookie: 'as-a-secret' } });
  const line = () => service.logs().find(({ path }) => String(path).startsWith('/no-such-page'));
  await eventually(() => expect(line()).toMatchObject({ path: '/no-such-page', status: 404 }));
  expect(JSON.stringify(service.logs())).not.toContain('as-a-secret');
});
