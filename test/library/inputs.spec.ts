import { createReadStream, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { temporaryFolder } from '../support/folders';
import type { ImageInput } from '../../src/library/index';
import { photoJpeg } from '../support/images';
import { library } from '../support/library';

const { compress, compressStream } = library;

const folder = temporaryFolder();
const path = join(folder, 'photo #1.jpg');
let photo: Buffer<ArrayBuffer>;
let expected: Uint8Array;
beforeAll(async () => {
  photo = Buffer.from(await photoJpeg(320, 240));
  writeFileSync(path, photo);
  expected = (await compress(photo)).bytes;
});

/** A stream that never ends; `pulled` counts the bytes that were taken from it. */
function endless() {
  const state = { pulled: 0, isCancelled: false };
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      state.pulled += 1000;
      controller.enqueue(new Uint8Array(1000));
    },
    cancel: () => void (state.isCancelled = true),
  });
  return { state, stream };
}

/** As polyfills have them, which extend no class of Node.js. */
function foreignStream(stream: ReadableStream<Uint8Array>) {
  return { getReader: () => stream.getReader() };
}

const halves = () => [photo.subarray(0, 1000), photo.subarray(1000)];

it.each<[string, () => ImageInput]>([
  ['a Uint8Array', () => new Uint8Array(photo)],
  ['an ArrayBuffer', () => new Uint8Array(photo).buffer],
  ['a path', () => path],
  ['a file URL', () => pathToFileURL(path)],
  ['a Blob', () => new Blob([photo])],
  ['a File', () => new File([photo], 'photo.jpg')],
  [
    'a Blob of another class',
    () => ({ size: photo.length, stream: () => foreignStream(new Blob([photo]).stream()) }),
  ],
  ['a web stream of another class', () => foreignStream(new Blob([photo]).stream())],
  ['a web stream', () => new Blob([photo]).stream()],
  ['the body of a response', () => new Response(photo).body ?? 'absent'],
  ['a stream of Node.js', () => createReadStream(path)],
  ['an async iterable', () => Readable.from(halves()).iterator()],
])('takes %s', async (_, input) => {
  const { bytes, report } = await compress(input());
  expect(report.originalSize).toBe(photo.length);
  expect(bytes).toEqual(expected);
});

const noBlob = { size: 5, stream: null };
it.each([[undefined], [null], [5], [{}], [[1, 2]], [noBlob], [new URL('https://example.com/photo.jpg')]])(
  'refuses %p',
  async (input) => {
    await expect(compress(input as never)).rejects.toMatchObject({
      name: 'InvalidOptionError',
      option: 'input',
      message: expect.stringMatching(/^input must be a Uint8Array, .* or a stream of bytes\.$/) as string,
    });
  },
);

it.each([
  ['base64', () => photo.toString('base64'), /decode base64 with Buffer\.from/],
  ['a data URL', () => `data:image/jpeg;base64,${photo.toString('base64')}`, /not a URL as text/],
  ['an address', () => 'https://example.com/photo.jpg', /not a URL as text\. Fetch the image/],
  ['a file URL as text', () => pathToFileURL(path).href, /not a URL as text/],
])('refuses %s without repeating it', async (_, text, message) => {
  const error = (await compress(text()).catch((thrown: unknown) => thrown)) as Error;
  expect(error).toMatchObject({ name: 'InvalidOptionError', option: 'input' });
  expect(error.message).toMatch(message);
  expect(inspect(error).length).toBeLessThan(3000);
});

function transferred() {
  const bytes = new Uint8Array(photo);
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  return bytes;
}

const readStream = Readable.from([Buffer.of(1)]);
beforeAll(() => readStream.toArray());

it.each([
  ['detached memory', () => transferred().buffer, undefined, /its ArrayBuffer is detached/],
  ['a view of detached memory', () => transferred(), undefined, /its ArrayBuffer is detached/],
  ['a missing file', () => join(folder, 'absent.jpg'), 'ENOENT', /no such file.*absent\.jpg/],
  ['a folder', () => folder, 'EISDIR', /directory/],
  [
    'a stream that fails',
    () => Readable.from(halves()).map(() => Promise.reject(new Error('lost'))),
    undefined,
    /: lost\.$/,
  ],
  ['a stream that has been read', () => readStream, undefined, /read already/],
  ['a stream of text', () => createReadStream(path, 'latin1'), undefined, /not bytes/],
])('says that it cannot read %s', async (_, input, code, message) => {
  const error: unknown = await compress(input()).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(library.CompressionError);
  expect(error).toMatchObject({ name: 'InputError', code: 'unreadable_input' });
  expect((error as Error).message).toMatch(message);
  expect(((error as Error).cause as NodeJS.ErrnoException).code).toBe(code);
});

describe('the limit', () => {
  const tooLarge = { name: 'ImageRefusedError', code: 'image_too_large' };

  it('ends the reading of a stream, and cancels it', async () => {
    const { state, stream } = endless();
    await expect(compress(stream, { maxInputBytes: 50_000 })).rejects.toMatchObject({
      ...tooLarge,
      limit: 50_000,
    });
    expect(state.isCancelled).toBe(true);
    // Web streams read ahead.
    expect(state.pulled).toBeLessThan(200_000);
    const foreign = endless();
    await expect(compress(foreignStream(foreign.stream))).rejects.toMatchObject(tooLarge);
    expect(foreign.state.isCancelled).toBe(true);
  });

  it('is 20 MiB for what is read', async () => {
    const { stream } = endless();
    await expect(compress(stream)).rejects.toMatchObject({ ...tooLarge, limit: 20 * 1024 * 1024 });
  });

  it('refuses a file, a Blob and bytes by their size', async () => {
    const inputs = [path, new Blob([photo]), photo];
    for (const input of inputs) {
      await expect(compress(input, { maxInputBytes: 1000 })).rejects.toMatchObject({
        ...tooLarge,
        limit: 1000,
        actual: photo.length,
      });
    }
    expect((await compress(path, { maxInputBytes: photo.length })).bytes.length).toBe(expected.length);
  });

  it('does not count for bytes in memory unless it is given', async () => {
    const large = Buffer.concat([photo, Buffer.alloc(20 * 1024 * 1024)]);
    expect((await compress(large)).report.originalSize).toBe(large.length);
    await expect(compress(new Blob([large]))).rejects.toMatchObject(tooLarge);
  });

  it('applies to compressStream', async () => {
    const compressing = compressStream({ maxInputBytes: 1000 });
    const failed = new Promise((resolve) => compressing.on('error', resolve));
    Readable.from(halves()).pipe(compressing);
    expect(await failed).toMatchObject({ ...tooLarge, limit: 1000 });
  });
});

it('a signal rejects at once and cancels the source, although that waits for ever', async () => {
  const never = new Promise<void>(() => undefined);
  const cancel = jest.fn(() => never);
  async function* silent() {
    await never;
    yield new Uint8Array();
  }
  for (const source of [silent(), new ReadableStream<Uint8Array>({ cancel })]) {
    const abort = new AbortController();
    const outcome = compress(source, { signal: abort.signal });
    setImmediate(() => abort.abort('enough'));
    await expect(outcome).rejects.toMatchObject({ name: 'AbortError', cause: 'enough' });
  }
  expect(cancel).toHaveBeenCalledTimes(1);
});

it('takes shared memory, and returns bytes of its own', async () => {
  const shared = new Uint8Array(new SharedArrayBuffer(photo.length));
  shared.set(photo);
  for (const bytes of [shared, (await compress(photo)).bytes])
    expect((await compress(bytes)).bytes.buffer).toBeInstanceOf(ArrayBuffer);
});
