import { photoJpeg } from '../support/images';
import { library } from '../support/library';

const { Compressor } = library;

const CLOSED = { name: 'CompressorClosedError', code: 'compressor_closed' };

it('refuses further calls, and may be closed again', async () => {
  const compressor = new Compressor({ workers: 1 });
  const photo = await photoJpeg(320, 240);
  expect((await compressor.compress(photo)).report.format).toBe('jpeg');
  compressor.close();
  compressor.close();
  await expect(compressor.compress(photo)).rejects.toMatchObject(CLOSED);
  await expect(compressor.compress(photo)).rejects.toBeInstanceOf(library.CompressionError);
  expect(() => compressor.compressStream()).toThrow(library.CompressorClosedError);
});

it('ends what is in progress: reading, starting workers, and compressing', async () => {
  const compressor = new Compressor({ workers: 1 });
  const large = await photoJpeg(3000, 2000);
  const outcomes = [
    compressor.compress(new ReadableStream<Uint8Array>()),
    compressor.compress(large),
    compressor.compress(large),
  ];
  setImmediate(() => compressor.close());
  for (const outcome of await Promise.allSettled(outcomes)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'AbortError', cause: CLOSED } });
  }
});

it('fails a stream that was opened before', async () => {
  const compressor = new Compressor({ workers: 1 });
  const stream = compressor.compressStream();
  compressor.close();
  const failed = new Promise((resolve) => stream.on('error', resolve));
  stream.end(await photoJpeg(320, 240));
  expect(await failed).toMatchObject(CLOSED);
});
