import { replayAgainstDocument } from '../../support/replay';
import { sharedClient } from '../../support/shared-service';

const service = sharedClient();

it('a response that is not documented fails the test that got it', async () => {
  const contract = await replayAgainstDocument(service.port);
  const head = { 'x-request-id': 'a', 'cache-control': 'no-store', 'content-type': 'application/json' };
  const answer = { method: 'GET', path: '/health/live', status: 200, body: Buffer.from('{}') };
  expect(contract.faultsOf({ ...answer, status: 418, headers: head })).toEqual([
    expect.stringContaining('isLive has no status 418'),
  ]);
  const faults = contract.faultsOf({
    ...answer,
    headers: { 'content-type': 'application/json', 'x-new': '1' },
  });
  expect(faults.join('\n')).toMatch(/x-new is not documented/);
  expect(faults.join('\n')).toMatch(/x-request-id is missing/);
  expect(faults.join('\n')).toMatch(/must have required property 'status'/);
  const more = Buffer.from('{"status":"ok","details":{},"mood":"fine"}');
  expect(contract.faultsOf({ ...answer, headers: head, body: more }).join()).toMatch(/mood/);
});
