import { runOnAccounts } from '../support/command-line';
import { photoJpeg } from '../support/images';
import { expectProblem, expectHead, expectStatus } from '../support/responses';
import { formWith, partHead, RawClient, requestHead } from '../support/service';
import { sharedClient } from '../support/shared-service';

const MEBIBYTE = 1024 * 1024;
const service = sharedClient();
const closed = sharedClient('closed');
let jpeg: Buffer;
beforeAll(async () => (jpeg = await photoJpeg(64, 48)));

const post = (headers: Record<string, string>) => service.api('compress', { headers, body: formWith(jpeg) });

describe('401', () => {
  it('missing_api_key: no credentials', async () => {
    const response = await post({});
    expectHead(response, { 'www-authenticate': 'Bearer' });
    await expectProblem(response, 401, 'missing_api_key', 'POST /api/v1/accounts creates one.');
    const elsewhere = closed.api('compress', { body: formWith(jpeg) });
    await expectProblem(elsewhere, 401, 'missing_api_key', 'the operator of this service creates them.');
  });

  it.each([
    ['not a key', () => 'hello'],
    ['a key with a typing error', (key: string) => key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))],
    ['an unknown key of the right shape', () => 'ics_000000000000000000000000000' + '1cP6CL'],
  ])('invalid_api_key: %s', async (_, presented) => {
    const { apiKey } = await service.signUp();
    const response = await post({ Authorization: `Bearer ${presented(apiKey)}` });
    expectHead(response, { 'www-authenticate': 'Bearer' });
    await expectProblem(response, 401, 'invalid_api_key');
  });

  it('invalid_api_key: another scheme', async () => {
    await expectProblem(post({ Authorization: 'Basic dXNlcjpwYXNz' }), 401, 'invalid_api_key');
  });

  it('invalid_api_key: a revoked key, at once, while another key of the account keeps working', async () => {
    const { apiKey } = await service.signUp();
    const second = await service.addKey(apiKey);
    await expectStatus(post({ 'X-API-Key': second.apiKey }), 200);
    const revoked = await service.api(`account/keys/${second.keyId}`, { method: 'DELETE', apiKey });
    expect(revoked.status).toBe(204);
    await expectProblem(post({ 'X-API-Key': second.apiKey }), 401, 'invalid_api_key');
    await expectStatus(post({ 'X-API-Key': apiKey }), 200);
  });

  it('is decided before the body is read, and the connection closed', async () => {
    const client = new RawClient(service.port, { allowHalfOpen: true });
    const size = 200 * MEBIBYTE;
    client.write(requestHead('ics_wrong', { 'Content-Length': size }) + partHead());
    const { status, headers } = await client.answer();
    expect(status).toBe(401);
    expect(headers['connection']).toBe('close');
    // The service discards 64 MiB (see request-body.ts) and then reads no more; the kernel may hold 36 (tcp_rmem and tcp_wmem).
    expect(await client.sendUntilClosed(Buffer.alloc(size))).toBeLessThan(128 * MEBIBYTE);
  });
});

it('sends no 100 Continue to a refused client that sent Expect: 100-continue', async () => {
  const head = requestHead('ics_wrong', { 'Content-Length': 5_000_000, Expect: '100-continue' });
  const client = RawClient.sending(service.port, head);
  await client.closed;
  expect(client.statuses).toEqual([401]);
});

describe('403', () => {
  it('account_suspended, until the account is resumed', async () => {
    const { apiKey, accountId } = await service.signUp();
    runOnAccounts(service.databaseUrl, `account suspend ${accountId}`);
    await expectProblem(post({ 'X-API-Key': apiKey }), 403, 'account_suspended');
    runOnAccounts(service.databaseUrl, `account resume ${accountId}`);
    await expectStatus(post({ 'X-API-Key': apiKey }), 200);
  });

  it('signup_closed', async () => {
    const signUp = closed.api('accounts', { json: { email: 'a@example.com' } });
    await expectProblem(signUp, 403, 'signup_closed');
    await expectProblem(closed.api('trials', { method: 'POST' }), 403, 'signup_closed');
  });
});
