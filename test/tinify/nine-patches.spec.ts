import { ninePatch, shadow } from '../support/nine-patches';
import { sharedClient } from '../support/shared-service';
import { expectError, TinifyCaller } from '../support/tinify';

const service = sharedClient();
let caller: TinifyCaller;
let path: string;
beforeAll(async () => {
  caller = new TinifyCaller(service, (await service.signUp()).apiKey);
  path = await caller.upload(ninePatch(120, 80, shadow));
});

it.each([
  { resize: { method: 'fit', width: 60, height: 60 } },
  { resize: { method: 'cover', width: 80, height: 80 } },
  { convert: { type: 'image/webp' } },
  { transform: { background: 'white' } },
])('%j is refused', async (commands) => {
  const sentence = /^The image cannot be converted: it is an Android nine-patch/;
  await expectError(caller.command(path, commands), 400, 'BadRequest', sentence);
});

it('the smallest format is a PNG of its size', async () => {
  const { headers } = await caller.command(path, { convert: { type: '*/*' } });
  expect([headers.get('content-type'), headers.get('image-width')]).toEqual(['image/png', '120']);
});
