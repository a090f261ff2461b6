/** Danger: many accounts, or neighbouring addresses, that count as many clients. The service sees addresses as a proxy states them. */
import { randomUUID } from 'node:crypto';
import { graphicPng, photoJpeg } from '../support/images';
import { expectProblem, expectStatus } from '../support/responses';
import { startService, type Service } from '../support/service';

let service: Service;
afterEach(() => service.stop('SIGKILL'));

const from = (address: string) => ({ 'X-Forwarded-For': address });
const signUp = (address: string) =>
  service.api('accounts', { json: { email: `${randomUUID()}@example.com` }, headers: from(address) });
async function keyFrom(address: string) {
  return ((await (await signUp(address)).json()) as { apiKey: string }).apiKey;
}

it('sign-ups and trials of one network share a limit', async () => {
  service = await startService({ TRUST_PROXY: '1', SIGNUP_LIMIT_PER_HOUR: '3' });
  const statuses: number[] = [];
  for (const address of ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2', '192.0.2.3'])
    statuses.push((await signUp(address)).status);
  const trial = await service.api('trials', { method: 'POST', headers: from('192.0.2.4') });
  statuses.push(trial.status, (await signUp('192.0.3.1')).status);
  expect(statuses).toEqual([201, 201, 201, 201, 201, 429, 201]);
});

it.each(['keys', 'off'])('one network cannot fill the queue for others (AUTH=%s)', async (AUTH) => {
  service = await startService({ TRUST_PROXY: '1', QUEUE_LIMIT: '2', AUTH, DEADLINE_MS: '600000' });
  // None of these ends before the test does.
  const long = await photoJpeg(3600, 2700);
  const send = async (address: string, image: Buffer, query = '') => {
    const apiKey = AUTH === 'off' ? 'none' : await keyFrom(address);
    return service.compress(image, apiKey, from(address), query);
  };
  const crowd = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) =>
    send(address, long, '?format=avif&effort=max').then(({ status }) => status, String),
  );
  await service.untilMetric('queue_depth', 2);
  await expectProblem(send('192.0.2.4', graphicPng(16, 16)), 503, 'overloaded');
  await expectStatus(send('192.0.3.1', graphicPng(16, 16)), 200);
  // Its place was that of one of the crowd.
  expect(await Promise.race(crowd)).toBe(503);
});
