/** Results of a set, against single compressions with the same policies. */
import sharp from 'sharp';
import { compressImage, compressSet } from '../../../../src/compression/application/compress-image';
import { ENGINE_NAMES, type CodecEngine } from '../../../../src/compression/application/codecs.port';
import type { CompressionPolicy } from '../../../../src/compression/domain/compression-policy';
import { readSource } from '../../../../src/compression/formats/image-header';
import { loadEngine } from '../../../../src/compression/infrastructure/codecs/engines';
import { ImageRefused } from '../../../../src/contract/image-problems';
import { readSettings } from '../../../../src/settings/settings';
import { graphicPng, photoJpeg, photoPixels } from '../../../support/images';

const { policy } = readSettings({ EFFORT: 'fast' }).compression;

/** Two sizes at their own densities, in three formats each; the upload's own comes last, as in planSet. */
const POLICIES: CompressionPolicy[] = [
  { maxDimensionPx: 160, density: 1 },
  { maxDimensionPx: 320, density: 2 },
].flatMap((size) =>
  [{ formats: ['avif'] }, { formats: ['webp'] }, { formats: ['same'] }].map((format) => ({
    ...policy,
    ...size,
    ...format,
  })),
);

async function inSet(image: Uint8Array, engine: CodecEngine, policies = POLICIES) {
  const results = [];
  for await (const result of compressSet(readSource(image, Infinity), engine, policies)) results.push(result);
  return results;
}

/** The engine, and the number of times that it decodes the upload. */
async function counting(image: Uint8Array) {
  const engine = await loadEngine('native');
  const { jpeg, png } = engine;
  const counted = {
    ...engine,
    jpeg: Object.create(jpeg) as typeof jpeg,
    png: Object.create(png) as typeof png,
  };
  const count = { decodes: 0, optimised: 0 };
  counted.jpeg.decode = (file, options) => {
    if (file === image) count.decodes++;
    return jpeg.decode(file, options);
  };
  counted.png.transform = (file, options) => {
    if (file === image) count.decodes++;
    return png.transform(file, options);
  };
  counted.png.optimise = (...args) => {
    count.optimised++;
    return png.optimise(...args);
  };
  return { engine: counted, count };
}

const UPLOADS: Record<string, () => Promise<Uint8Array>> = {
  'a turned photo': () => photoJpeg(400, 300, { orientation: 6 }),
  'a graphic with alpha': () => Promise.resolve(graphicPng(400, 300)),
  'a photo in a PNG': () =>
    sharp(photoPixels(400, 300).data, { raw: { width: 400, height: 300, channels: 3 } })
      .png()
      .toBuffer(),
};

describe.each(ENGINE_NAMES)('%s', (name) => {
  it.each(Object.keys(UPLOADS))('makes the bytes and reports of single compressions of %s', async (kind) => {
    const [image, engine] = [await UPLOADS[kind](), await loadEngine(name)];
    const results = await inSet(image, engine);
    expect(results).toHaveLength(POLICIES.length);
    for (const [i, result] of results.entries()) {
      if (result instanceof ImageRefused) throw result;
      const single = await compressImage(image, engine, POLICIES[i]);
      expect(Buffer.compare(result.bytes, single.bytes)).toBe(0);
      const { timings, encodes } = result.report;
      expect(result.report).toEqual({ ...single.report, timings, encodes });
    }
  });
});

it('decodes a photo once for each size, whatever the number of formats', async () => {
  const image = await photoJpeg(400, 300);
  const { engine, count } = await counting(image);
  await inSet(image, engine);
  expect(count.decodes).toBe(2);
});

it('makes the result of a PNG once for each size, for its own format and for others', async () => {
  const image = graphicPng(400, 300);
  const { engine, count } = await counting(image);
  await inSet(image, engine, POLICIES.slice(2, 3));
  const once = { ...count };
  await inSet(image, engine, POLICIES.slice(0, 3));
  expect(count).toEqual({ decodes: 2 * once.decodes, optimised: 2 * once.optimised });
});

it('counts the encodes of each result separately', async () => {
  const [, second, third] = await inSet(await photoJpeg(400, 300), await loadEngine('native'));
  for (const result of [second, third]) {
    if (result instanceof ImageRefused) throw result;
    expect(result.report.encodes).toBeGreaterThan(0);
    expect(result.report.encodes).toBeLessThan(5);
  }
});

it('goes on after a format that cannot hold the image', async () => {
  const [jpeg, own] = await inSet(graphicPng(400, 300), await loadEngine('native'), [
    { ...policy, maxDimensionPx: 160, formats: ['jpeg'] },
    { ...policy, maxDimensionPx: 160 },
  ]);
  expect(jpeg).toMatchObject({ code: 'cannot_convert', reason: 'transparency' });
  expect(own).toMatchObject({ report: { format: 'png', dimensions: { width: 160, height: 120 } } });
});

it('refuses a damaged image once, for all results', async () => {
  const image = (await photoJpeg(400, 300)).subarray(0, 3000);
  const { engine, count } = await counting(image);
  await expect(inSet(image, engine)).rejects.toMatchObject({ code: 'undecodable_image' });
  expect(count.decodes).toBeLessThan(2);
});
