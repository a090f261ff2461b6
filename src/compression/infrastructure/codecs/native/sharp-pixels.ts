/** Opens pixels with sharp, and decodes files in result formats; shared by their native codecs. */
import sharp, { type Sharp } from 'sharp';
import type { Pixels } from '../../../domain/pixels';

// As in sharp-pipeline.ts: a worker compresses one image at a time, in one thread.
sharp.cache(false);
sharp.concurrency(1);

/** The pixel limit of the deployment was checked before these pixels were decoded. */
const limitInputPixels = false;

export function openPixels({ width, height, channels, data }: Pixels): Sharp {
  const isGrey = channels <= 2;
  return sharp(data, { raw: { width, height, channels }, limitInputPixels }).toColourspace(
    isGrey ? 'b-w' : 'srgb',
  );
}

/** Decodes a file that this service has encoded; samples stay as stored, regardless of the profile. */
export async function decodeResult(bytes: Uint8Array): Promise<Pixels> {
  const pipeline = sharp(bytes, { failOn: 'error', limitInputPixels, ignoreIcc: true });
  const { data, info } = await pipeline.raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: info.channels, data };
}
