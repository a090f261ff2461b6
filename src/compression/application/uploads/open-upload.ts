import { isLossless } from '../../domain/compression-policy';
import { fitWithin, sameSize, type Dimensions } from '../../domain/dimensions';
import { withoutRedundantChannels } from '../../domain/pixels';
import { readSource, refuseManyPixels } from '../../formats/image-header';
import { pngOfPixels } from '../../formats/png/png-chunks';
import { pngWithBlocks } from '../../formats/png/png-metadata';
import type { CodecEngine } from '../codecs.port';
import type { AddedUpload } from '../result-format.port';
import type { Work } from '../work';

function addedUploadIn(
  { uploads = [], resultFormats }: CodecEngine,
  bytes: Uint8Array,
): AddedUpload | undefined {
  const found = resultFormats?.addedUpload(bytes);
  return uploads.find(({ name }) => name === found?.name);
}

/** Of an upload that a package reads, without decoding it. @throws ImageRefused `undecodable_image` */
export async function measureUpload(bytes: Uint8Array, engine: CodecEngine): Promise<Dimensions> {
  const added = addedUploadIn(engine, bytes);
  if (!added) throw new Error('No package reads this upload');
  return added.dimensions(bytes);
}

/**
 * Reads a JPG or PNG. What a package reads becomes a PNG, whose result is a JPG instead of the format of the upload, or a PNG if it is
 * transparent or must stay lossless.
 * @throws ImageRefused when the upload is not accepted
 */
export async function openUpload(bytes: Uint8Array, context: Omit<Work, 'source'>): Promise<Work> {
  const { engine, policy, stopwatch } = context;
  const added = addedUploadIn(engine, bytes);
  if (!added) return { ...context, source: readSource(bytes, policy.maxPixels) };
  const size = await added.dimensions(bytes);
  refuseManyPixels(size, policy.maxPixels);
  const decoded = await stopwatch.time('decode', () => added.decode(bytes, size));
  const { width, height, channels, data, ...blocks } = decoded;
  const pixels = withoutRedundantChannels({ width, height, channels, data }, blocks.icc === undefined);
  const source = readSource(pngWithBlocks(pngOfPixels(pixels), blocks), policy.maxPixels);
  const own = pixels.channels % 2 === 0 || isLossless(policy) ? 'same' : 'jpeg';
  const { byteLimit, ...unlimited } = policy;
  const { formats = ['same'], keepMetadata, background } = policy;
  const asked = new Set(formats.map((format) => (format === 'same' ? own : format)));
  const isAccepted = formats.includes('same') || formats.includes(added.name);
  const losesMetadata = keepMetadata !== 'all' && (blocks.exif ?? blocks.xmp) !== undefined;
  const mustChange = losesMetadata || background !== undefined || !sameSize(fitWithin(size, policy), size);
  const mayStay = isAccepted && !mustChange;
  // The result then is not larger than the upload, and fits, too.
  const fits = mayStay && byteLimit !== undefined && bytes.length <= byteLimit.maxBytes;
  return {
    ...{ ...context, source, policy: { ...(fits ? unlimited : policy), formats: [...asked] } },
    uploaded: { bytes, format: added.name, mayStay, ...(fits ? { budget: 'met' } : {}) },
  };
}
