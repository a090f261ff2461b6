/** What may win as a PNG: a palette, near-lossless truecolour, and the same pixels in fewer bytes. Unless time ends them, the trials depend on pixels and policy only. */
import { isLossless } from '../../domain/compression-policy';
import { posteriseToShades } from '../../domain/near-lossless/posterise';
import { sampleBands } from '../../domain/near-lossless/sample-bands';
import { once } from '../../domain/once';
import { isAuthored, indexed, toRgba } from '../../domain/palette/indexed-image';
import { maxDifference, type Pixels } from '../../domain/pixels';
import { pngOfPixels, pngOfRows } from '../../formats/png/png-chunks';
import { isPalette } from '../../formats/png/png-structure';
import type { Candidate } from '../choose';
import { effortInTime, isLate, meanwhile } from '../context';
import { benefitsFromFilters, filteredRows, losslessBytesPerSample } from './png-codings';
import { makeDrafts, type Drafts } from './png-drafts';
import {
  compacted,
  completed,
  createGuard,
  mustStayLossless,
  withColours,
  type CodedPng,
  type PngDraft,
  type PngImage,
} from './png-image';
import { repacked } from './png-repacking';

/** Lossy results of 10 graphics and 100 drawings save 16% or more; less is not worth the loss. */
const LEAST_SAVING_BY_LOSS = 0.1;
const TRIED_PIXELS = 250_000;

/** A scaled result may be this many times as large as the upload. */
const MAX_GROWTH = 4;
/** A scaled result may always be this large: 4 bits per pixel at 3840 × 3840, where an ordinary image takes 3 to 10. */
const FREE_BYTES = 8 * 1024 * 1024;
/** A fast deflate overestimates the final size, even of near-lossless images, by at most this factor. */
const OVERESTIMATE = 3;

/** Growth is limited: scaling can turn a fine pattern of a few kilobytes into a hundred megabytes of noise. */
export async function pngCandidates(image: PngImage): Promise<Candidate[]> {
  if (!image.isScaled) return listCodings(image, Infinity);
  const most = Math.max(FREE_BYTES, image.source.bytes.length * MAX_GROWTH);
  const pixels = await image.pixels();
  const posterised = candidate(image, () => posteriseToFit(image, pixels, most));
  const isBoundToGrow =
    losslessBytesPerSample(sampleBands(pixels, TRIED_PIXELS)) * pixels.data.length > most * OVERESTIMATE;
  return isBoundToGrow ? [posterised] : [...(await listCodings(image, most)), posterised];
}

/** @param most bytes of the largest file that is worth having */
async function listCodings(image: PngImage, most: number): Promise<Candidate[]> {
  const { policy, wasLossy, isFitted } = image;
  const coded = (many?: Pixels) => once(() => losslessly(image, many));
  const withoutLoss = (make: () => Promise<CodedPng>) =>
    candidate(image, async () => atMost(most, await make()));
  if (isLossless(policy) || wasLossy || (await mustStayLossless(image))) return [withoutLoss(coded())];
  const pixels = await image.pixels();
  const exact = indexed(pixels);
  const lossless = coded(exact ? undefined : pixels);
  if ((exact && isAuthored(exact) && !isFitted) || isLate(image)) return [withoutLoss(lossless)];

  const lossy = (judged: PngImage, { drafts, beatLossless }: Drafts) =>
    drafts.map((draft) =>
      candidate(
        image,
        async (smallest) => {
          let file = atMost(most, await packed(judged, pixels, draft));
          if (judged !== image && file) file = await seenDenser(file, smallest);
          if (!file || beatLossless || isLate(image)) return file;
          return atMost((await lossless()).bytes.length * (1 - LEAST_SAVING_BY_LOSS), file);
        },
        draft.estimate,
      ),
    );
  /** Returns the file with the score that it has here; undefined if it does not pass, or is not the smallest. */
  const seenDenser = async (file: CodedPng, smallest: number) => {
    if (file.bytes.length >= smallest) return undefined;
    const score = createGuard(image, pixels).score(await image.codec.decode(file.bytes));
    return score >= policy.targetScore ? { ...file, score } : undefined;
  };
  const found = lossy(image, await makeDrafts(image, pixels, exact));
  const single = { ...image, density: 1, policy: { ...policy, density: 1 } };
  // The result for single pixels competes where it passes at a higher density, so that one never costs bytes.
  const others =
    image.density > 1 && !isLate(image) ? lossy(single, await makeDrafts(single, pixels, exact)) : [];
  return [...found, ...others, withoutLoss(lossless)];
}

/** A file of this image. Without an estimate, it is made only where no other one is admitted. */
function candidate(
  image: PngImage,
  make: (smallest: number) => Promise<CodedPng | undefined>,
  estimate = Infinity,
): Candidate {
  return {
    estimate: () => estimate,
    margin: Infinity,
    make: async (smallest) => {
      const coded = await make(smallest);
      return coded && completed(image, coded);
    },
  };
}

function atMost(bytes: number, file: CodedPng | undefined) {
  return file && file.bytes.length <= bytes ? file : undefined;
}

/** Compresses the draft, then decodes and checks it, because codecs may have bugs. */
async function packed(image: PngImage, pixels: Pixels, draft: PngDraft): Promise<CodedPng | undefined> {
  const { size, codec, stopwatch } = image;
  const { score, errorBound } = draft;
  const effort = effortInTime(image);
  const tight = await stopwatch.time('encode', () => draft.pack(effort));
  return stopwatch.time('verify', async () => {
    const bytes = withColours(image, tight);
    const drawn = () => draft.image && toRgba(draft.image);
    const [delivered, indexed] = await meanwhile(codec.decode(bytes), drawn);
    const file = { bytes, score, dimensions: size };
    if (indexed) return maxDifference(indexed, delivered) === 0 ? file : undefined;
    const maxError = maxDifference(pixels, delivered);
    return maxError <= (errorBound ?? 0) ? { ...file, maxError } : undefined;
  });
}

/** @param many the pixels of an image with more than 256 colours, for which row filters may be chosen here */
async function losslessly(image: PngImage, many?: Pixels): Promise<CodedPng> {
  const { size, codec, policy, stopwatch } = image;
  const plain = await image.plain();
  const effort = effortInTime(image);
  const optimised = await stopwatch.time('encode', () => {
    if (isLossless(policy) && isPalette(plain)) return repacked(plain, codec, effort);
    return many && effort === 'fast' ? inOneTry(image, plain, many) : codec.optimise(plain, effort);
  });
  const isFaithful = await stopwatch.time('verify', () => codec.arePixelsEqual(plain, optimised));
  return { bytes: isFaithful ? optimised : plain, score: 1, maxError: 0, dimensions: size };
}

/** Uses the best row filters of a part of the image, so that the image is deflated once. */
async function inOneTry(image: PngImage, plain: Uint8Array, pixels: Pixels) {
  const { codec } = image;
  const compact = compacted(image, pixels);
  if (!benefitsFromFilters(sampleBands(compact, TRIED_PIXELS))) return codec.optimise(plain, 'fast');
  return withColours(image, pngOfRows(compact, await codec.deflate(filteredRows(compact), 'fast')));
}

/** Returns the image with the most shades per channel that are sure to fit into the limit, but at least two. */
export async function posteriseToFit(image: PngImage, pixels: Pixels, most: number): Promise<CodedPng> {
  const { size, codec, stopwatch } = image;
  const compact = compacted(image, pixels);
  const bitsPerSample = Math.floor((most * 8) / (size.width * size.height * compact.channels));
  const shades = 2 ** Math.min(8, Math.max(1, bitsPerSample));
  const png = pngOfPixels(posteriseToShades(compact, shades));
  const tight = await stopwatch.time('encode', () => codec.optimise(png, 'fast'));
  return stopwatch.time('verify', async () => {
    const bytes = withColours(image, tight);
    const prepare = () => createGuard(image, pixels);
    const [delivered, guard] = await meanwhile(codec.decode(bytes), prepare);
    return {
      bytes,
      score: guard.score(delivered),
      maxError: maxDifference(pixels, delivered),
      dimensions: size,
    };
  });
}
