import { graphicPng } from '../support/images';
import { sharedClient } from '../support/shared-service';

const service = sharedClient('tight');

const origin = { Origin: 'https://app.example.com' };

it('lets pages of the named origin call the API and read every header, on success and on errors', async () => {
  const { send } = await service.signUp();
  const answers = [
    await send(graphicPng(16, 16), '', origin),
    await service.compress(graphicPng(16, 16), 'ics_wrong', origin),
    await service.api('accounts', { headers: origin, body: '{' }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 400]);
  for (const { headers } of answers) {
    expect(headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    const exposed = headers.get('access-control-expose-headers')?.split(',') ?? [];
    const names = [
      'X-Bytes-Saved',
      'X-Max-Error',
      'RateLimit',
      'X-RateLimit-Reset',
      'Retry-After',
      'X-Request-Id',
    ];
    expect(exposed).toEqual(expect.arrayContaining(names));
  }
});

it('responds to the preflight and names no other origin', async () => {
  const preflight = (from: string) =>
    service.api('compress', {
      method: 'OPTIONS',
      headers: {
        Origin: from,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'x-api-key',
      },
    });
  const allowed = await preflight('https://app.example.com');
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get('access-control-allow-headers')).toContain('x-api-key');
  expect((await preflight('https://evil.example.com')).headers.get('access-control-allow-origin')).not.toBe(
    'https://evil.example.com',
  );
});
