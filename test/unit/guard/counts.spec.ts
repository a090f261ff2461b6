/** The health of a guard, by which an orchestrator decides: without a worker it passes all images as they come. */
import type { CompressionRunner } from '../../../src/compression/application/running/compression-runner.port';
import { Counts, createMetricsServer } from '../../../src/guard/counts';
import { partOf } from '../../support/part-of';
import { portOf } from '../../support/listening';

it.each([
  [1, 200, 'ready\n'],
  [0, 503, 'No worker: images pass as they come.\n'],
])('with %i workers it answers %i', async (ready, status, words) => {
  const runner = partOf<CompressionRunner>({ state: () => ({ ready }) });
  const server = createMetricsServer(new Counts(), partOf({}), runner);
  const answer = await fetch(`http://127.0.0.1:${await portOf(server)}/health`);
  const text = await answer.text();
  server.close();
  server.closeAllConnections();
  expect([answer.status, text]).toEqual([status, words]);
});
