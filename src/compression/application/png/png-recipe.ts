/** Compresses a PNG to a smaller one that looks the same. Unless time ends them, the trials depend on pixels and policy only. */
import { chooseSmallest, isLossless } from '../../domain/compression-policy';
import { sampleBands } from '../../domain/near-lossless/sample-bands';
import { isAuthored, indexed } from '../../domain/palette/indexed-image';
import { isMadeFor } from '../../domain/score/as-seen';
import { maxDifference, type Pixels } from '../../domain/pixels';
import type { PngSource } from '../../formats/image-header';
import { readPngResultMarker } from '../../formats/png/png-result-marker';
import { pngOfRows, pngOfPixels } from '../../formats/png/png-chunks';
import { isPalette } from '../../formats/png/png-structure';
import type { Candidate, Outcome } from '../outcome';
import { type Work, meanwhile } from '../work';
import { compressAnimatedPng } from './png-animation-recipe';
import { filteredRows, benefitsFromFilters, losslessBytesPerSample } from './png-codings';
import { compressLossily } from './png-lossy';
import { repacked } from './png-repacking';
import { unchangedPng, PngWork } from './png-work';
import { FidelityGuard } from '../../domain/fidelity-guard';
import { posteriseToShades } from '../../domain/near-lossless/posterise';

/** Lossy results of 10 graphics and 100 drawings save 16% or more; less is not worth the loss. */
const LEAST_SAVING_BY_LOSS = 0.1;
const TRIED_PIXELS = 250_000;

export function compressPng(upload: Work<PngSource>): Promise<Outcome> {
  return upload.source.structure.isAnimated
    ? compressAnimatedPng(upload)
    : compressOpenedPng(new PngWork(upload));
}

export async function compressOpenedPng(work: PngWork): Promise<Outcome> {
  const { source, policy, isScaled } = work;
  const mustChange = isScaled || work.isFlattened;
  if (!mustChange && isEarlierResult(work)) return unchangedPng(work, 'already-optimised');
  const candidates = isScaled ? await scaledCandidates(work) : await makeCandidates(work);
  const completed = candidates.map((candidate) => work.complete(candidate));
  const chosen = chooseSmallest(source.bytes.length, completed, { ...policy, mustChange });
  return chosen ?? unchangedPng(work, 'already-optimised');
}

function isEarlierResult({ source, policy, density }: PngWork): boolean {
  const made = readPngResultMarker(source.structure.chunks);
  return made !== undefined && made.targetScore <= policy.targetScore && isMadeFor(made.density, density);
}

/** Limits growth: scaling can turn a fine pattern of a few kilobytes into a hundred megabytes of noise. */
async function scaledCandidates(work: PngWork): Promise<Candidate[]> {
  const most = Math.max(FREE_BYTES, work.source.bytes.length * MAX_GROWTH);
  const pixels = await work.pixels();
  if (isBoundToGrow(pixels, most)) return [await posteriseToFit(work, pixels, most)];
  const candidates = await makeCandidates(work);
  const isOver = candidates.every(({ bytes }) => bytes.length > most);
  return isOver ? [...candidates, await posteriseToFit(work, pixels, most)] : candidates;
}

async function makeCandidates(work: PngWork): Promise<Candidate[]> {
  const isExact = isLossless(work.policy) || work.wasLossy || (await work.mustStayLossless());
  if (isExact) return [await losslessly(work)];
  const pixels = await work.pixels();
  const image = indexed(pixels);
  if ((image && isAuthored(image) && !work.policy.fit) || work.isLate())
    return [await losslessly(work, image ? undefined : pixels)];
  const { candidates, beatsLossless } = await compressLossily(work, pixels, image);
  if (beatsLossless || (candidates.length > 0 && work.isLate())) return candidates;
  const lossless = await losslessly(work, image ? undefined : pixels);
  const most = lossless.bytes.length * (1 - LEAST_SAVING_BY_LOSS);
  return [...candidates.filter(({ bytes }) => bytes.length <= most), lossless];
}

/** @param many the pixels of an image with more than 256 colours, for which row filters may be chosen here */
async function losslessly(work: PngWork, many?: Pixels): Promise<Candidate> {
  const { size, codec, policy, stopwatch } = work;
  const plain = await work.plain();
  const effort = work.isLate() ? 'fast' : policy.effort;
  const optimised = await stopwatch.time('encode', () => {
    if (isLossless(policy) && isPalette(plain)) return repacked(plain, codec, effort);
    return many && effort === 'fast' ? inOneTry(work, plain, many) : codec.optimise(plain, effort);
  });
  const isFaithful = await stopwatch.time('verify', () => codec.arePixelsEqual(plain, optimised));
  return { bytes: isFaithful ? optimised : plain, score: 1, maxError: 0, dimensions: size };
}

/** Uses the best row filters of a part of the image, so that the image is deflated once. */
async function inOneTry(work: PngWork, plain: Uint8Array, pixels: Pixels): Promise<Uint8Array> {
  const compact = work.compact(pixels);
  if (!benefitsFromFilters(sampleBands(compact, TRIED_PIXELS))) return work.codec.optimise(plain, 'fast');
  return work.withColours(pngOfRows(compact, await work.codec.deflate(filteredRows(compact), 'fast')));
}

/** A scaled result may be this many times as large as the upload. */
const MAX_GROWTH = 4;
/** A scaled result may always be this large: 4 bits per pixel at 3840 × 3840, where an ordinary image takes 3 to 10. */
const FREE_BYTES = 8 * 1024 * 1024;
/** A fast deflate overestimates the final size, even of near-lossless images, by at most this factor. */
const OVERESTIMATE = 3;

function isBoundToGrow(pixels: Pixels, most: number): boolean {
  const part = sampleBands(pixels, TRIED_PIXELS);
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
