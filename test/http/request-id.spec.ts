/** Every response names its request. */
import type { ServiceClient } from '../support/service';
import { sharedService } from '../support/shared-service';

let service: ServiceClient;
beforeAll(async () => {
  service = await sharedService();
});

describe('request id', () => {
  it('echoes a valid request id', async () => {
    const response = await fetch(`${service.url}/health/live`, { headers: { 'X-Request-Id': 'trace-42.a' } });
    expect(response.headers.get('x-request-id')).toBe('trace-42.a');
  });

  it('replaces an invalid request id', async () => {
    const headers = { 'X-Request-Id': 'a"b <script>' };
    const response = await fetch(`${service.url}/health/live`, { headers });
    expect(response.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
  });
});
