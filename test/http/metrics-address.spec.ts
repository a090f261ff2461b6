import { networkInterfaces } from 'node:os';
import { startService, type Service } from '../support/service';

let service: Service;
afterEach(() => service.stop('SIGKILL'));

/** An address of this machine that others can reach. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
const metricsAt = (host: string) => {
  const port = String(service.logs().find(({ message }) => message === 'metrics')?.['port']);
  return fetch(`http://${host}:${port}/metrics`);
};

(outside ? it : it.skip)('shows metrics to this machine only, unless told otherwise', async () => {
  service = await startService({ HOST: '0.0.0.0' });
  expect((await metricsAt('127.0.0.1')).status).toBe(200);
  await expect(metricsAt(outside!)).rejects.toThrow();
  await service.stop();
  service = await startService({ METRICS_HOST: '0.0.0.0' });
  expect((await metricsAt(outside!)).status).toBe(200);
});

it('keeps connections open for longer than the intervals of scrapers', async () => {
  service = await startService();
  expect((await metricsAt('127.0.0.1')).headers.get('keep-alive')).toBe('timeout=72');
});
