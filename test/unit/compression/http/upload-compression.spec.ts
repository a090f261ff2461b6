import { EventEmitter } from 'node:events';
import { UploadCompression } from '../../../../src/compression/http/upload-compression';
import { readSettings } from '../../../../src/settings/settings';
import { partOf } from '../../../support/part-of';

const settings = readSettings({ MAX_UPLOAD_MB: '1' }).compression;
const LIMIT = 2 * 1024 * 1024;

it('refuses a result of more than twice the largest upload, before memory is reserved for it', async () => {
  const reserved: number[] = [];
  const memory = { resultWillTake: (bytes: number) => reserved.push(bytes) };
  const caller = { accountId: 'a', keyId: 'k', isTrial: false };
  const req = { context: { caller, logged: {} } };
  const of = (bytes: number) => {
    const runner = {
      run: (_: unknown, { onResultSize }: { onResultSize: (bytes: number) => void }) =>
        Promise.resolve(bytes).then(onResultSize),
    };
    const compression = new UploadCompression(settings, partOf(runner), partOf({}), partOf({}));
    const upload = { image: Buffer.alloc(10), memory };
    return compression.run(partOf(upload), settings.policy, partOf(req), partOf(new EventEmitter()));
  };
  await expect(of(LIMIT + 1)).rejects.toMatchObject({ code: 'too_many_pixels' });
  expect(reserved).toEqual([]);
  await expect(of(LIMIT)).rejects.toThrow();
  expect(reserved).toEqual([LIMIT]);
});
