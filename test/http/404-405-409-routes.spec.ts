import { expectProblem, expectStatus } from '../support/responses';
import { sharedClient } from '../support/shared-service';

const service = sharedClient();

it.each(['/nope', '/api/v1', '/api/v1/compress/more', '/%E0%A4%A'])('404 for %s', async (path) => {
  await expectProblem(fetch(`${service.url}${path}`), 404, 'not_found');
});

it.each([
  ['GET', '/api/v1/compress', 'POST'],
  ['PUT', '/api/v1/compress', 'POST'],
  ['DELETE', '/health/live', 'GET, HEAD'],
  ['PATCH', '/api/v1/account/keys', 'GET, HEAD, POST'],
  ['GET', '/api/v1/account/keys/some-id', 'DELETE'],
])('405 for %s %s, with Allow', async (method, path, allow) => {
  const response = await fetch(`${service.url}${path}`, { method });
  expect(response.headers.get('allow')).toBe(allow);
  await expectProblem(response, 405, 'method_not_allowed');
});

it('404 for revoking a key of another account', async () => {
  const [mine, other] = [await service.signUp(), await service.signUp()];
  const revoke = { method: 'DELETE', apiKey: mine.apiKey };
  await expectProblem(service.api(`account/keys/${other.keyId}`, revoke), 404, 'not_found');
});

it('409 for a second account with the same address, however it is spelt', async () => {
  const signUp = (email: string) => service.api('accounts', { json: { email } });
  await expectStatus(signUp('Twice@Example.com'), 201);
  await expectProblem(signUp(' twice@example.com '), 409, 'account_exists');
});
