import { orUpload, type Upload } from '../../../../src/compression/application/read-upload';
import type { Result } from '../../../../src/compression/application/choose';
import { noise, rawImage } from '../../../support/images';
import { policy } from '../../../support/default-policy';
import { partOf } from '../../../support/part-of';

let bytes: Buffer;
beforeAll(
  async () =>
    (bytes = await rawImage(noise(16, 16, 3, 1))
      .webp()
      .toBuffer()),
);
const upload = partOf<Upload>({
  source: partOf<Upload['source']>({ dimensions: { width: 4, height: 3 } }),
  context: partOf<Upload['context']>({ policy }),
});

it.each([
  ['passes is taken', undefined, true],
  ['misses the target is not', 0.98, false],
])('a smaller file that %s', async (_, missedScore, isTaken) => {
  const made = partOf<Result>({
    bytes: bytes.subarray(0, bytes.length >> 1),
    ...(missedScore && { missedScore }),
  });
  const decoded = partOf<Parameters<typeof orUpload>[0]>({
    bytes,
    unchanged: bytes,
    format: 'webp',
    removed: [],
  });
  const result = await orUpload(decoded, upload, Promise.resolve(made));
  expect(result.bytes.length < bytes.length).toBe(isTaken);
});
