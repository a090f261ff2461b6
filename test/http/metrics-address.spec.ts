import { networkInterfaces } from 'node:os';
import { startService, type ServiceClient } from '../support/service';
import { sharedClient } from '../support/shared-service';
import { expectStatus } from '../support/responses';

const shared = sharedClient();

/** An address of this machine that others can reach. */
const outside = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
const metricsAt = (host: string, { metricsPort }: ServiceClient = shared) =>
  fetch(`http://${host}:${metricsPort}/metrics`);

(outside ? it : it.skip)('shows metrics to this machine only, unless told otherwise', async () => {
  const service = await startService({ HOST: '0.0.0.0' });
  await expectStatus(metricsAt('127.0.0.1', service), 200);
  await expect(metricsAt(outside!, service)).rejects.toThrow();
  await service.stop();
  const open = await startService({ METRICS_HOST: '0.0.0.0' });
  await expectStatus(metricsAt(outside!, open), 200);
  await open.stop();
});

it('keeps connections open for longer than the intervals of scrapers', async () => {
  expect((await metricsAt('127.0.0.1')).headers.get('keep-alive')).toBe('timeout=72');
});
