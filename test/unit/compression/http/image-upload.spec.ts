import { PassThrough } from 'node:stream';
import {
  ImageUploadInterceptor,
  fairShareKey,
} from '../../../../src/compression/http/image-upload.interceptor';
import { UploadBudget } from '../../../../src/compression/http/upload-budget';
import { readSettings } from '../../../../src/settings/settings';
import { partOf } from '../../../support/part-of';

it('reserves no memory for a client that disconnected during the guards', async () => {
  const settings = readSettings({}).compression;
  const budget = new UploadBudget(settings);
  const res = new PassThrough().destroy();
  // Its `close` event has fired already, so nothing would release memory reserved now.
  await new Promise((resolve) => res.once('close', resolve));
  const req = {
    headers: { 'content-length': '1000' },
    context: { caller: { accountId: 'a', keyId: 'k', isTrial: false } },
  };
  const http = { getRequest: () => req, getResponse: () => res };
  const interceptor = new ImageUploadInterceptor(settings, budget, partOf({ hasPlaceFor: () => true }));
  const uploaded = interceptor.intercept(partOf({ switchToHttp: () => http }), partOf({}));
  await expect(uploaded).rejects.toMatchObject({ reason: 'cancelled' });
  expect(budget.usedBytes).toBe(0);
});

it('gives all trials of one network one share, and each account its own', () => {
  const shareKeyAt = (ip: string, isTrial: boolean) =>
    fairShareKey(partOf({ ip, context: { caller: { accountId: 'a', keyId: 'k', isTrial } } }));
  const trials = (ip: string) => shareKeyAt(ip, true);
  expect(trials('::ffff:192.0.2.1')).toBe(trials('192.0.2.1'));
  // A subscriber gets a whole /64 of IPv6.
  expect(trials('2001:db8:0:1::1')).toBe(trials('2001:db8:0:1:ffff::2'));
  expect(trials('2001:db8:0:1::1')).not.toBe(trials('2001:db8:0:2::1'));
  expect(trials('192.0.2.1')).not.toBe(trials('192.0.2.2'));
  expect(shareKeyAt('192.0.2.1', false)).toBe('a');
});
