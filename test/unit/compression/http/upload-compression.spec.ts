/** What the service does with a result before the client gets it. */
import { EventEmitter } from 'node:events';
import { UploadCompression } from '../../../../src/compression/http/upload-compression';
import { readSettings } from '../../../../src/settings/settings';
import { partOf } from '../../../support/part-of';

const settings = readSettings({ MAX_UPLOAD_MB: '1' }).compression;
const LIMIT = 2 * 1024 * 1024;
const caller = { accountId: 'a', keyId: 'k', shareKey: 'a', isTrial: false };
const report = { originalSize: 10, bytesSaved: 4, timings: {} };

/** Compresses an upload whose result has this size; `events` lists what happens to it. */
function compress(bytes: number, deliver: () => unknown = () => undefined, events: unknown[] = []) {
  const memory = {
    resultWillTake: (taken: number) => events.push(taken),
    releaseUpload: () => events.push('upload released'),
  };
  const runner = {
    run: (_: unknown, { onResultSize }: { onResultSize: (bytes: number) => void }) =>
      Promise.resolve(bytes)
        .then(onResultSize)
        .then(() => ({ report })),
  };
  const metrics = { image: () => undefined };
  const usage = { record: (_: unknown, used: object) => events.push(used) };
  const compression = new UploadCompression(settings, partOf(runner), partOf(metrics), partOf(usage));
  const upload = { image: Buffer.alloc(10), memory };
  const req = { context: { caller, logged: {} } };
  return compression.run(partOf(upload), settings.policy, partOf(req), partOf(new EventEmitter()), deliver);
}

it('refuses a result of more than twice the largest upload, before memory is reserved for it', async () => {
  const events: unknown[] = [];
  const refused = compress(LIMIT + 1, undefined, events);
  await expect(refused).rejects.toMatchObject({ code: 'too_many_pixels' });
  expect(events).toEqual([]);
  await compress(LIMIT, undefined, events);
  expect(events[0]).toBe(LIMIT);
});

it('charges the account once the result is delivered, and not if it cannot be', async () => {
  const events: unknown[] = [];
  const store = () => Promise.resolve(events.push('stored'));
  await compress(1, store, events);
  expect(events).toEqual([1, 'stored', { bytesIn: 10, bytesSaved: 4 }, 'upload released']);
  events.length = 0;
  await expect(compress(1, () => Promise.reject(new Error('full')), events)).rejects.toThrow('full');
  expect(events).toEqual([1]);
});
