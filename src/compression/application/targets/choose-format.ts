/**
 * Chooses the format of a result, if the client accepts others than that of its upload. Trials of a mosaic predict the sizes;
 * only the smallest is encoded, and a second one if it may be smaller still. Every size is one at the same quality.
 */
import type { TargetFormat } from '../../../contract/formats';
import { cannotConvert } from '../../../contract/image-problems';
import { sameSize } from '../../domain/dimensions';
import { chooseSmallest } from '../../domain/skip-rule';
import type { JpegSource, PngSource, Source } from '../../formats/image-header';
import { compressOpenedJpeg } from '../jpeg/jpeg-recipe';
import { predictLossy } from '../jpeg/jpeg-search';
import type { Candidate, Outcome } from '../outcome';
import { compressOpenedPng } from '../png/png-recipe';
import { PngWork } from '../png/png-work';
import { once, type Work } from '../work';
import { Conversion } from './conversion';
import {
  convertibleJpeg,
  convertiblePng,
  hasCommonColours,
  openForConversion,
  type Convertible,
} from './convertible';
import { canWrite, targetOf } from './targets';

/** Trials overestimate the size of an AVIF by this factor, against their estimate for a JPEG (standard deviation 5 %). */
const BIAS = 1.035;
/** Another format has to promise at least this much. */
const WORTHWHILE = 0.95;
/** If the real size is more than this share of what the own format should take, that one is encoded too. */
const CERTAIN = 0.9;
/** A format whose prediction exceeds the smallest real size by more than this is not encoded. */
const CLOSE = 1.02;

/** Compresses in the format of the upload. */
type CompressOwn = (work: Work) => Promise<Outcome>;

/** @throws ImageRefused `cannot_convert` if no accepted format can hold the image */
export async function compressToSmallest(work: Work, compressOwn: CompressOwn): Promise<Outcome> {
  const formats = conversionFormats(work);
  if (formats.length === 0) return compressOwn(work);
  const upload = await open(work);
  const possible = possibleOf(work, conversionsOf(work, upload.image, formats));
  if (possible.length === 0) return upload.own();
  if (mayStay(work)) return smallerThanOwn(work, upload, possible);
  return (await smallestOf(possible)).candidate;
}

/** Returns the formats that the image may be converted to; none if it keeps its own. */
export function conversionFormats(work: Work): TargetFormat[] {
  const { source, engine } = work;
  if (mayStay(work) && mustStay(source)) return [];
  const others = otherFormats(work);
  const writable = others.filter((format) => canWrite(engine, format));
  // Without any, the first says why.
  return writable.length > 0 || mayStay(work) ? writable : others;
}

function otherFormats({ source, policy: { formats = [] } }: Work): TargetFormat[] {
  return formats.filter((format) => format !== 'same' && format !== source.format);
}

/** Whether the format of the upload is accepted. */
function mayStay(work: Work): boolean {
  const { formats } = work.policy;
  return formats === undefined || otherFormats(work).length < formats.length;
}

/** Whether another format would lose what the file has besides its image, or what viewers show. */
function mustStay(source: Source): boolean {
  if (source.format === 'png') {
    const { isAnimated, bitDepth } = source.structure;
    return isAnimated || bitDepth > 8 || !hasCommonColours(source);
  }
  const { companions, components } = source.structure;
  const { gainMap, hasVideo, hasOtherPictures } = companions;
  return gainMap !== undefined || hasVideo || hasOtherPictures || components.length === 4;
}

function conversionsOf(work: Work, image: Convertible, formats: readonly TargetFormat[]): Conversion[] {
  return formats.map((format) => new Conversion(format, targetOf(work.engine, format), image, work));
}

/**
 * Returns the accepted conversions of the image that can hold it, for a search of its own; none if it has to stay in its
 * own format.
 * @throws ImageRefused `cannot_convert` if there is none, and its own format is not accepted
 */
export async function openConversions(work: Work, formats: readonly TargetFormat[]): Promise<Conversion[]> {
  const { image } = await open(work);
  // The budget's search is not for what the recipe has made smaller.
  const unreduced = { ...image, reduced: () => Promise.resolve(undefined) };
  return possibleOf(work, conversionsOf(work, unreduced, formats));
}

/** @throws ImageRefused `cannot_convert` if none is possible, and the own format is not accepted */
function possibleOf(work: Work, conversions: readonly Conversion[]): Conversion[] {
  // What viewers show goes only if the client named the format.
  const possible = conversions.filter(
    ({ obstacle, losesColours }) => obstacle === undefined && !(losesColours && mayStay(work)),
  );
  if (possible.length === 0 && !mayStay(work))
    throw cannotConvert(conversions[0].obstacle ?? 'no format is accepted');
  return possible;
}

/** An upload that is decoded once, for its own format and for others. */
interface Opened {
  readonly image: Convertible;
  /** Compresses in the format of the upload. */
  readonly own: () => Promise<Outcome>;
  /** Size of the result in the format of the upload, or its prediction. */
  readonly ownBytes: () => Promise<number>;
}

function open({ source, ...work }: Work): Promise<Opened> {
  switch (source.format) {
    case 'jpeg':
      return openJpeg({ source, ...work });
    case 'png':
      return openPng({ source, ...work });
  }
}

async function openJpeg(work: Work<JpegSource>): Promise<Opened> {
  const opened = openForConversion(work);
  return {
    image: await convertibleJpeg(opened, work.source),
    own: once(() => compressOpenedJpeg(opened)),
    ownBytes: async () => (await predictLossy(opened))?.bytes ?? 0,
  };
}

/** A PNG is compressed as a PNG first: other formats take fewer bytes for its pixels too. */
async function openPng(work: Work<PngSource>): Promise<Opened> {
  const { source } = work;
  if (source.structure.isAnimated)
    throw cannotConvert('it is animated, and the result would lose its frames');
  const opened = new PngWork(work);
  const image = await convertiblePng(opened, source);
  const own = once(() => compressOpenedPng(opened));
  const reduced = once(async () => {
    const outcome = await own();
    if ('skipReason' in outcome || outcome.score === 1) return undefined;
    const { bytes, score, maxError } = outcome;
    return {
      pixels: await opened.codec.decode(bytes),
      score,
      ...(maxError === undefined ? {} : { maxError }),
    };
  });
  return {
    image: image.isPhoto ? image : { ...image, reduced },
    own,
    ownBytes: async () => (await own()).bytes.length,
  };
}

async function smallerThanOwn(
  { source, policy }: Work,
  { own, ...upload }: Opened,
  conversions: readonly Conversion[],
): Promise<Outcome> {
  const ownBytes = await upload.ownBytes();
  const bids = await predicted(conversions);
  // Nothing may be lost: only the own format can be written without loss.
  if (ownBytes === 0 || bids[0].bytes / BIAS > ownBytes * WORTHWHILE) return own();
  const { candidate: best, passes } = await smallestOf(conversions, bids);
  if (!passes) return own();
  if (best.bytes.length <= ownBytes * CERTAIN) return worthwhile(best) ?? own();
  const outcome = await own();
  return best.bytes.length < outcome.bytes.length ? (worthwhile(best) ?? outcome) : outcome;

  function worthwhile(candidate: Candidate): Candidate | undefined {
    const isResized = !sameSize(candidate.dimensions, source.dimensions);
    const mustChange = isResized || policy.background !== undefined;
    return chooseSmallest(source.bytes.length, [candidate], { ...policy, mustChange });
  }
}

/** What a conversion promises. */
export interface Bid {
  readonly conversion: Conversion;
  /** Infinite for a format that another one outdoes, of which no trial is made. */
  readonly bytes: number;
}

/** Returns the conversions with their expected sizes, the smallest first. */
export async function predicted(conversions: readonly Conversion[]): Promise<Bid[]> {
  const formats = new Set(conversions.map(({ format }) => format));
  const bids: Bid[] = [];
  for (const conversion of conversions) {
    const { outdoneBy } = conversion;
    const isOutdone = outdoneBy !== undefined && formats.has(outdoneBy);
    bids.push({ conversion, bytes: isOutdone ? Infinity : await conversion.predict() });
  }
  return bids.sort((a, b) => a.bytes - b.bytes);
}

interface Written {
  readonly candidate: Candidate;
  /** Whether it looks like the upload. */
  readonly passes: boolean;
}

/** Encodes the conversion with the smallest prediction, then those that may still be smaller. */
async function smallestOf(conversions: readonly Conversion[], known?: readonly Bid[]): Promise<Written> {
  const [first, ...rest] =
    known ??
    (conversions.length > 1 ? await predicted(conversions) : [{ conversion: conversions[0], bytes: 0 }]);
  let best = await written(first.conversion);
  for (const { conversion, bytes } of rest) {
    // Predictions are too high about as often as too low.
    if (best.passes && bytes > best.candidate.bytes.length * CLOSE) continue;
    best = betterOf(best, await written(conversion));
  }
  return best;
}

async function written(conversion: Conversion): Promise<Written> {
  const candidate = await conversion.run();
  return { candidate, passes: await conversion.passes(candidate) };
}

/** Returns the smaller one of those that look like the upload; without any, the one that looks more like it. */
function betterOf(a: Written, b: Written): Written {
  if (a.passes !== b.passes) return a.passes ? a : b;
  if (!a.passes) return b.candidate.score > a.candidate.score ? b : a;
  return b.candidate.bytes.length < a.candidate.bytes.length ? b : a;
}
