/** Sends unusual real files through the real service: each looks as before, without private data. */
import sharp from 'sharp';
import { readJpegStructure } from '../../src/compression/formats/jpeg/jpeg-structure';
import { differenceOf, eachFile } from './real-images';

const EXPECTED: Readonly<Record<string, string>> = {
  'apng-bouncing.png': 'animated',
  'apng-skip-idat.png': 'animated',
  'jpeg-12bit.jpg': '422 12-bit samples',
};
/** Largest difference, of 255, before and after; images of a few pixels have no structure to preserve. */
const MAX_DIFFERENCE = 8;
const MAX_DIFFERENCE_OF_TINY = 14;
const TINY_PIXELS = 700;
const ORIENTATION_ONLY_BYTES = 40;
const RESOLUTION_ONLY_BYTES = 80;

/** The image as displayed by a viewer that supports profiles and orientation, over grey, at the given size. */
function managed(bytes: Uint8Array, width: number, height: number, ignoreIcc: boolean): Promise<Buffer> {
  return sharp(bytes, { ignoreIcc })
    .autoOrient()
    .resize(width, height, { fit: 'fill' })
    .toColourspace('srgb')
    .flatten({ background: '#888' })
    .raw()
    .toBuffer();
}
/** Samples of 16 bits. Those of 8 are multiplied by 257, which keeps their value; libvips multiplies by 256. */
async function deepSamples(bytes: Uint8Array): Promise<Buffer> {
  const image = sharp(bytes, { ignoreIcc: true });
  const { depth } = await image.metadata();
  if (depth === 'ushort')
    return image.toColourspace('rgb16').ensureAlpha().raw({ depth: 'ushort' }).toBuffer();
  const data = await image.toColourspace('srgb').ensureAlpha().raw().toBuffer();
  return Buffer.from(Uint16Array.from(data, (sample) => sample * 257).buffer);
}
const inks = (bytes: Uint8Array) =>
  sharp(bytes, { ignoreIcc: true }).pipelineColourspace('cmyk').toColourspace('cmyk').raw().toBuffer();
const greyPixels = (bytes: Uint8Array) => sharp(bytes).toColourspace('b-w').raw().toBuffer();

eachFile('edge', async (file, { source, response, body, header }) => {
  const expected = EXPECTED[file] ?? '';
  if (expected.startsWith('422')) {
    expect(response.status).toBe(422);
    expect(body.toString()).toContain(expected.slice(4));
    return;
  }
  expect(response.status).toBe(200);
  expect(header('x-compressed-size')).toBe(String(body.length));
  if (header('x-skipped')) {
    expect(header('x-skip-reason')).toBe(expected || 'already-optimised');
    expect(body).toEqual(source);
    return;
  }
  expect(expected).toBe('');

  const [before, after] = [await sharp(source).metadata(), await sharp(body).metadata()];
  const { width, height } = after.autoOrient;
  expect(header('x-dimensions')).toBe(`${width}x${height}`);
  // sharp ignores the profile of 16 bits a sample, which may have become 8: their samples are compared.
  const isDeep = before.depth === 'ushort';
  const [a, b] = [await managed(source, width, height, isDeep), await managed(body, width, height, isDeep)];
  const most = width * height < TINY_PIXELS ? MAX_DIFFERENCE_OF_TINY : MAX_DIFFERENCE;
  expect(differenceOf(a, b)).toBeLessThan(most);
  const isScaled = width * height < before.width * before.height;
  if (before.format === 'png' && isDeep && !isScaled)
    expect(await deepSamples(body)).toEqual(await deepSamples(source));
  if (before.space === 'cmyk') expect(await inks(body)).toEqual(await inks(source));
  if (before.format === 'jpeg')
    expect(readJpegStructure(body).components.length).toBe(readJpegStructure(source).components.length);
  if (after.icc) expect(after.icc).toEqual(before.icc);

  // Only an orientation, the resolution of CMYK, which has no JFIF, and the data of a gain map may remain.
  const exifBytes = after.channels === 4 ? RESOLUTION_ONLY_BYTES : ORIENTATION_ONLY_BYTES;
  expect(after.exif?.length ?? 0).toBeLessThan(exifBytes);
  expect([after.iptc, after.comments]).toEqual([undefined, undefined]);
  if (after.xmp) expect(after.xmp.toString()).toMatch(/^<x:xmpmeta.{0,400}hdrgm:Version/);
  expect(Boolean(after.gainMap)).toBe(Boolean(before.gainMap));
  if (before.gainMap && after.gainMap)
    expect(await greyPixels(after.gainMap.image)).toEqual(await greyPixels(before.gainMap.image));
});
