/**
 * Limits the growth of scaled PNGs. Scaling can turn a fine pattern of a few kilobytes into a hundred megabytes of noise, and a
 * client could request that repeatedly. Such an image is posterised, which limits its size.
 */
import { FidelityGuard } from '../../domain/fidelity-guard';
import { posteriseToShades } from '../../domain/near-lossless/posterise';
import { sampleBands } from '../../domain/near-lossless/sample-bands';
import { maxDifference, type Pixels } from '../../domain/pixels';
import { pngOfPixels } from '../../formats/png/png-chunks';
import type { Candidate } from '../outcome';
import { meanwhile } from '../work';
import { losslessBytesPerSample } from './png-codings';
import type { PngWork } from './png-work';

/** A scaled result may be this many times as large as the upload. */
const MAX_GROWTH = 4;
/** A scaled result may always be this large: 4 bits per pixel at 3840 × 3840, where an ordinary image takes 3 to 10. */
const FREE_BYTES = 8 * 1024 * 1024;
/** A fast deflate overestimates the final size, even of near-lossless images, by at most this factor. */
const OVERESTIMATE = 3;
const ESTIMATED_PIXELS = 250_000;

export function maxScaledBytes(uploadBytes: number): number {
  return Math.max(FREE_BYTES, uploadBytes * MAX_GROWTH);
}

/** Returns whether a part of the image shows that every coding exceeds this many bytes. */
export function isBoundToGrow(pixels: Pixels, most: number): boolean {
  const part = sampleBands(pixels, ESTIMATED_PIXELS);
  return losslessBytesPerSample(part) * pixels.data.length > most * OVERESTIMATE;
}

/** Returns the image with the most shades per channel that are sure to fit into the limit, but at least two. */
export async function posteriseToFit(work: PngWork, pixels: Pixels, most: number): Promise<Candidate> {
  const { size, codec, policy, stopwatch, density } = work;
  const compact = work.compact(pixels);
  const bitsPerSample = Math.floor((most * 8) / (size.width * size.height * compact.channels));
  const shades = 2 ** Math.min(8, Math.max(1, bitsPerSample));
  const png = pngOfPixels(posteriseToShades(compact, shades));
  const packed = await stopwatch.time('encode', () => codec.optimise(png, 'fast'));
  return stopwatch.time('verify', async () => {
    const bytes = work.withColours(packed);
    const prepare = () => new FidelityGuard(pixels, policy.targetScore, { density });
    const [delivered, guard] = await meanwhile(codec.decode(bytes), prepare);
    const { score } = guard.judge(delivered);
    return { bytes, score, maxError: maxDifference(pixels, delivered), dimensions: size };
  });
}
