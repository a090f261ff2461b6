/**
 * Keeps a scaled PNG from growing far beyond its upload. Kilobytes of a fine pattern can scale to a hundred megabytes
 * of noise, which a client could ask for again and again. Such an image is delivered in few shades, which bounds its
 * bytes whatever it shows.
 */
import { FidelityGuard } from '../domain/fidelity-guard';
import { posteriseToShades } from '../domain/near-lossless/posterise';
import { sampleBands } from '../domain/near-lossless/sample-bands';
import { maxDifference, withoutRedundantChannels, type Pixels } from '../domain/pixels';
import { withColourChunks } from '../formats/png/png-metadata';
import { pngOfPixels } from '../formats/png/png-rows';
import type { Candidate } from './outcome';
import { losslessDensity } from './png-codings';
import type { PngWork } from './png-lossy';

/** A scaled result may be so many times the upload, */
const MAX_GROWTH = 4;
/** and so large in any case: 4 bits a pixel at 3840 × 3840, where an ordinary image takes 3 to 10. */
const FREE_BYTES = 8 * 1024 * 1024;
/** An estimate by fast deflate is at most so many times what comes of it, near-lossless images included. */
const OVERESTIMATE = 3;
const ESTIMATED_PIXELS = 250_000;

export function maxScaledBytes(uploadBytes: number): number {
  return Math.max(FREE_BYTES, uploadBytes * MAX_GROWTH);
}

/** Whether a part of the image shows that no rung can keep it below so many bytes. */
export function isBoundToGrow(pixels: Pixels, most: number): boolean {
  const part = sampleBands(pixels, ESTIMATED_PIXELS);
  return losslessDensity(part) * pixels.data.length > most * OVERESTIMATE;
}

/** The image in as many shades a channel as cannot take more than so many bytes; in two at least. */
export async function posteriseToFit(
  { structure, size, codec, policy, stopwatch }: PngWork,
  pixels: Pixels,
  most: number,
): Promise<Candidate> {
  const compact = withoutRedundantChannels(pixels, structure.colourChunks.length === 0);
  const bitsPerSample = Math.floor((most * 8) / (size.width * size.height * compact.channels));
  const shades = 2 ** Math.min(8, Math.max(1, bitsPerSample));
  const png = pngOfPixels(posteriseToShades(compact, shades));
  const packed = await stopwatch.time('encode', () => codec.optimise(png, 'fast'));
  return stopwatch.time('verify', async () => {
    const bytes = withColourChunks(packed, structure.colourChunks);
    const delivered = await codec.decode(bytes);
    const { score } = new FidelityGuard(pixels, policy.targetScore).judge(delivered);
    return { bytes, score, maxError: maxDifference(pixels, delivered), dimensions: size };
  });
}
