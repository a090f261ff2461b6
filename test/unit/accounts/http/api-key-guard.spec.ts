/** The API key guard fills the context of the request: the caller, and whose share its images take. */
import type { ExecutionContext } from '@nestjs/common';
import { Authenticator, UnknownLookups } from '../../../../src/accounts/application/authenticator';
import { newAccount, TRIAL_MS } from '../../../../src/accounts/domain/account';
import { newKey } from '../../../../src/accounts/domain/api-key';
import { ApiKeyGuard } from '../../../../src/accounts/http/account.guards';
import type { RequestContext } from '../../../../src/http/requests';
import { partOf } from '../../../support/part-of';

const trial = { imagesLeft: 1, expiresAt: new Date(Date.now() + TRIAL_MS) };

async function shareKeyAt(ip: string, isTrial: boolean) {
  const { key, issued } = newKey('a');
  const account = newAccount({ id: 'a', ...(isTrial ? { trial } : {}) });
  const store = { findKeyByDigest: () => Promise.resolve({ key, account }) };
  const configured = { findByDigest: () => undefined, anonymousAt: () => undefined };
  const authenticator = new Authenticator(partOf(store), partOf(configured), new UnknownLookups());
  const context: Partial<RequestContext> = {};
  const req = { ip, context, headersDistinct: { 'x-api-key': [issued.apiKey] } };
  const http = { switchToHttp: () => ({ getRequest: () => req, getResponse: () => ({}) }) };
  await new ApiKeyGuard(authenticator, partOf(configured)).canActivate(partOf<ExecutionContext>(http));
  return context.caller?.shareKey;
}

it('all trials of one network have one share, and each account its own', async () => {
  const trials = (ip: string) => shareKeyAt(ip, true);
  expect(await trials('::ffff:192.0.2.1')).toBe(await trials('192.0.2.1'));
  // A subscriber gets a whole /64 of IPv6.
  expect(await trials('2001:db8:0:1::1')).toBe(await trials('2001:db8:0:1:ffff::2'));
  expect(await trials('2001:db8:0:1::1')).not.toBe(await trials('2001:db8:0:2::1'));
  expect(await trials('192.0.2.1')).toBe(await trials('192.0.2.2'));
  expect(await trials('192.0.2.1')).not.toBe(await trials('192.0.3.1'));
  expect(await shareKeyAt('192.0.2.1', false)).toBe('a');
});
