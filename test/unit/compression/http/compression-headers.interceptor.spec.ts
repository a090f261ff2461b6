/** Danger: digests of the same bytes for each of many requests; a sample of the page has 1.6 MB. */
import { firstValueFrom, of } from 'rxjs';
import { CompressionHeadersInterceptor } from '../../../../src/compression/http/result-response';
import { readSettings } from '../../../../src/settings/settings';
import { partOf } from '../../../support/part-of';

const report = {
  format: 'jpeg',
  originalDimensions: { width: 1, height: 1 },
  dimensions: { width: 1, height: 1 },
  timings: {},
  score: 1,
};

/** Returns the ETag of a response with these bytes. */
async function etagOf(bytes: Uint8Array): Promise<unknown> {
  const headers: Record<string, unknown> = {};
  const res = { set: (fields: object) => Object.assign(headers, fields), once: () => undefined };
  const http = { getRequest: () => ({ fresh: true }), getResponse: () => res };
  const context = { switchToHttp: () => http };
  const result = { bytes, report, queueMs: 0 };
  const next = { handle: () => of(result) };
  await firstValueFrom(
    new CompressionHeadersInterceptor(readSettings({}).compression).intercept(partOf(context), partOf(next)),
  );
  return headers['ETag'];
}

it('computes the digest of a result once', async () => {
  const bytes = Buffer.from('a result');
  const etag = await etagOf(bytes);
  expect(etag).toMatch(/^"[\w-]{43}"$/);
  expect(await etagOf(Buffer.from('another'))).not.toBe(etag);
  // Would be seen in a second digest.
  bytes[0] ^= 1;
  expect(await etagOf(bytes)).toBe(etag);
});
