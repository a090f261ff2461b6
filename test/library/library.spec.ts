import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { policy } from '../support/default-policy';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { library } from '../support/library';
import { workersOf } from '../support/process-memory.cjs';
import { processorSeconds } from '../support/processor-time';

const { compress, compressStream, Compressor } = library;

let photo: Buffer;
beforeAll(async () => (photo = await photoJpeg(320, 240)));

it('resolves to the new file and its report', async () => {
  const { bytes, report } = await compress(photo);
  expect(report).toMatchObject({
    format: 'jpeg',
    originalSize: photo.length,
    compressedSize: bytes.length,
    bytesSaved: photo.length - bytes.length,
    skipped: false,
    originalWidth: 320,
    originalHeight: 240,
    width: 320,
    height: 240,
  });
  expect(bytes.length).toBeLessThan(photo.length);
  expect(report.ssim).toBeGreaterThanOrEqual(policy.targetScore);
  for (const name of ['skipReason', 'score', 'dimensions', 'originalDimensions'])
    expect(report).not.toHaveProperty(name);
});

it('resolves to the given bytes if nothing can be saved', async () => {
  const { bytes } = await compress(photo);
  const again = await compress(bytes);
  expect(again.bytes).toBe(bytes);
  expect(again.report).toMatchObject({ skipped: true, skipReason: 'already-optimised' });
});

it('takes options, and ignores the settings of the service', async () => {
  process.env['QUALITY'] = 'nonsense';
  try {
    const [high, low] = await Promise.all([
      compress(photo),
      compress(photo, { quality: 'low', maxDimension: 100 }),
    ]);
    expect(low.report.ssim).toBeLessThan(high.report.ssim);
    expect(low.report).toMatchObject({ width: 100, height: 75 });
  } finally {
    delete process.env['QUALITY'];
  }
});

const LOSSLESS = { quality: 'lossless' };
it.each([
  [{ quality: 'best' }, 'quality', 'quality must be one of low, medium, high, very-high'],
  [{ quality: 2 }, 'quality', 'quality must be one of'],
  [{ quality: 0.99999 }, 'quality', 'or a score from 0.9 to 0.9999.'],
  [{ quality: ['high'] }, 'quality', 'quality must be one of'],
  [{ quality: '' }, 'quality', 'quality must be one of'],
  [Object.create({ quality: 'inherited' }), 'quality', 'quality must be one of'],
  [JSON.parse('{"__proto__":{"quality":"low"}}'), '__proto__', 'There is no option __proto__.'],
  [{ effort: 'maximum' }, 'effort', 'effort must be one of fast, balanced, max.'],
  [{ effort: Object.create(null) as object }, 'effort', 'effort must be one of fast, balanced, max.'],
  [{ maxDimension: 1.5 }, 'maxDimension', 'maxDimension must be an integer.'],
  [{ maxDimension: NaN }, 'maxDimension', 'maxDimension must be an integer.'],
  [{ maxDimension: -1 }, 'maxDimension', 'maxDimension must be from 16 to 16384.'],
  [{ maxMegapixels: -1e-7 }, 'maxMegapixels', 'maxMegapixels must be from 0.01 to 4096.'],
  [{ minSavingsPercent: 1 }, 'minSavingsPercent', 'minSavingsPercent was removed; set MIN_SAVINGS_PERCENT'],
  [{ maxMegapixels: 1e21 }, 'maxMegapixels', 'maxMegapixels must be from 0.01 to 4096.'],
  [{ maxInputBytes: 0 }, 'maxInputBytes', 'maxInputBytes must be an integer of 1 or more.'],
  [{ metadata: null }, 'metadata', 'metadata must be one of none, copyright, all.'],
  [null, 'options', 'options must be an object.'],
  ['high', 'options', 'options must be an object.'],
  [[], 'options', 'options must be an object.'],
  [{ qualty: 'high' }, 'qualty', 'There is no option qualty.'],
  [{ signal: 'stop' }, 'signal', 'signal must be an AbortSignal.'],
  [{ format: [] }, 'format', 'jpeg, png, webp, avif'],
  [{ format: ['webp', 1] }, 'format', 'jpeg, png, webp, avif'],
  [{ format: 'gif' }, 'format', 'jpeg, png, webp, avif'],
  [{ pngDepth: 16 }, 'pngDepth', 'was removed; PNGs of 16 bits stay lossless'],
  [{ ...LOSSLESS, maxBytes: 5000 }, 'maxBytes', 'cannot be combined with the quality "lossless"'],
  [{ ...LOSSLESS, density: 2 }, 'density', 'cannot be combined with the quality "lossless"'],
  [{ density: 5 }, 'density', 'from 1 to 4'],
  [{ maxBytes: 0 }, 'maxBytes', 'integer of 1 or more'],
  [{ maxBytes: 1.5 }, 'maxBytes', 'integer of 1 or more'],
  [{ maxBytes: '5 potatoes' }, 'maxBytes', 'must be a number of bytes, such as 200000, 200kB or 1.5MB'],
  [{ maxBytes: '0.5' }, 'maxBytes', '1 byte or more'],
  [{ maxBytes: true }, 'maxBytes', 'integer of 1 or more'],
  [{ maxInputBytes: '5kB' }, 'maxInputBytes', 'integer of 1 or more'],
  [{ allow: 'any' }, 'allow', 'needs maxBytes'],
  [{ maxBytes: 5000, allow: 'all' }, 'allow', 'must be "any"'],
])('refuses the options %j', async (options, option, message) => {
  const refused = {
    name: 'InvalidOptionError',
    code: 'invalid_option',
    option,
    message: expect.stringContaining(message) as string,
  };
  await expect(compress(photo, options as never)).rejects.toMatchObject(refused);
  expect(() => compressStream(options as never)).toThrow(library.InvalidOptionError);
});

it('refuses invalid options of a compressor in the same words', () => {
  expect(() => new Compressor(null as never)).toThrow('options must be an object.');
  expect(() => new Compressor({ codecEngine: 'fast' as never })).toThrow(
    'codecEngine must be native, squoosh or a package: the package fast is not installed',
  );
  expect(() => new Compressor({ workers: 0 })).toThrow('workers must be from 1 to 256.');
});

it('reports faults of a file by class and code', async () => {
  const fault = { name: 'ImageRefusedError', code: 'unsupported_media_type' };
  await expect(compress(Buffer.from('no image'))).rejects.toMatchObject(fault);
  await expect(compress(photo.subarray(0, 300))).rejects.toMatchObject({ code: 'undecodable_image' });
  const large = compress(photo, { maxMegapixels: 0.05 });
  await expect(large).rejects.toMatchObject({ code: 'too_many_pixels', limit: 50_000, actual: 76_800 });
  await expect(large).rejects.toBeInstanceOf(library.CompressionError);
});

/** Waits until a worker uses the processor; elsewhere than on Linux until it may. */
async function untilWorking() {
  if (process.platform !== 'linux') return;
  const spent = () => new Map(workersOf(process.pid).map((pid) => [pid, processorSeconds(pid)]));
  const before = await eventually(spent);
  // Each process for itself: a worker of an earlier test may exit meanwhile.
  await eventually(() => {
    const growths = [...spent()].map(([pid, seconds]) => seconds - (before.get(pid) ?? 0));
    expect(Math.max(...growths)).toBeGreaterThan(0.1);
  });
}

it('stops on its signal, before and during the work, and frees the worker', async () => {
  const compressor = new Compressor({ workers: 1 });
  const [before, during] = [AbortSignal.abort('too late'), new AbortController()];
  const aborted = { name: 'AbortError', code: 'ABORT_ERR' };
  await expect(compressor.compress(photo, { signal: before })).rejects.toMatchObject({
    ...aborted,
    cause: 'too late',
  });
  const large = await photoJpeg(3000, 2000);
  const outcome = compressor.compress(large, { signal: during.signal, effort: 'max' });
  await untilWorking().then(() => during.abort('enough'));
  await expect(outcome).rejects.toMatchObject({ ...aborted, cause: 'enough' });
  expect((await compressor.compress(photo)).report.format).toBe('jpeg');
  const closed = compressor.compress(large, { effort: 'max' });
  await untilWorking().then(() => compressor.close());
  await expect(closed).rejects.toMatchObject(aborted);
});

it('is a stream for one image', async () => {
  const stream = Readable.from([photo.subarray(0, 1000), photo.subarray(1000)]).pipe(compressStream());
  const bytes = await buffer(stream);
  expect(bytes).toEqual((await compress(photo)).bytes);
  expect(stream.report?.compressedSize).toBe(bytes.length);
});

it('a stream fails with the error of its image, or of its signal', async () => {
  const text = Readable.from([Buffer.from('no image')]).pipe(compressStream());
  await expect(buffer(text)).rejects.toMatchObject({ code: 'unsupported_media_type' });
  const signal = AbortSignal.timeout(50);
  const silent = compressStream({ signal });
  await expect(buffer(silent)).rejects.toMatchObject({ code: 'ABORT_ERR' });
  await expect(buffer(compressStream({ signal }))).rejects.toMatchObject({ code: 'ABORT_ERR' });
});
