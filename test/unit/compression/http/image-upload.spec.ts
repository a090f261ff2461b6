import { PassThrough } from 'node:stream';
import { ImageUploadInterceptor } from '../../../../src/compression/http/image-upload.interceptor';
import { UploadBudget } from '../../../../src/compression/http/upload-budget';
import { readSettings } from '../../../../src/settings/settings';

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
  const interceptor = new ImageUploadInterceptor(settings, budget, { hasPlaceFor: () => true } as never);
  const uploaded = interceptor.intercept({ switchToHttp: () => http } as never, {} as never);
  await expect(uploaded).rejects.toMatchObject({ reason: 'cancelled' });
  expect(budget.memory.usedBytes).toBe(0);
});
