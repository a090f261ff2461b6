/**
 * Trials of a mosaic predict the sizes at one quality. Only the smallest is encoded, and a second if it may be
 * smaller.
 */
import { chooseSmallest } from '../../domain/compression-policy';
import type { ResultFormatName } from '../../../contract/formats';
import { cannotConvert } from '../../../contract/image-problems';
import { sameSize } from '../../domain/dimensions';
import type { Candidate, Outcome } from '../outcome';
import { type Work, mayStay, otherFormats } from '../work';
import type { OpenedUpload, Convertible } from '../uploads/upload';
import { UPLOADS } from '../uploads/uploads';
import { Conversion, type Written } from './conversion';
import { findResultFormat, getResultFormat } from './result-formats';

/** Trials overestimate the size of an AVIF by this factor relative to a JPEG (standard deviation 5%). */
const BIAS = 1.035;
/** Another format is worthwhile if it is predicted to take at most this share. */
const WORTHWHILE = 0.95;
/** If the actual size exceeds this share of the prediction for the upload's own format, that format is encoded too. */
const CERTAIN = 0.9;
/** A format is not encoded if its prediction exceeds the smallest actual size by more than this factor. */
const CLOSE = 1.02;

/** @throws ImageRefused `cannot_convert` if no accepted format can hold the image */
export async function compressToSmallest(work: Work): Promise<Outcome> {
  const formats = conversionFormats(work);
  const row = UPLOADS[work.source.format];
  if (formats.length === 0) return row.compress(work);
  const upload = await row.open(work);
  const possible = filterPossible(work, planConversions(work, upload.image, formats));
  if (possible.length === 0) return upload.own();
  if (mayStay(work)) return smallerThanOwn(work, upload, possible);
  return (await findSmallest(possible)).candidate;
}

function conversionFormats(work: Work): ResultFormatName[] {
  const { source, engine } = work;
  const canStay = mayStay(work);
  if (canStay && UPLOADS[source.format].losesByConversion(source)) return [];
  const others = otherFormats(work);
  const writable = others.filter((format) => findResultFormat(engine, format));
  // If no format is possible, the first one provides the reason.
  return writable.length > 0 || canStay ? writable : others;
}

function planConversions(work: Work, image: Convertible, formats: readonly ResultFormatName[]): Conversion[] {
  return formats.map((format) => new Conversion(format, getResultFormat(work.engine, format), image, work));
}

function filterPossible(work: Work, conversions: readonly Conversion[]): Conversion[] {
  // Displayed colours and bits may be lost only if the client named the format.
  const possible = conversions.filter(
    ({ obstacle, losesColours, losesBits }) =>
      obstacle === undefined && !((losesColours || losesBits) && mayStay(work)),
  );
  if (possible.length === 0 && !mayStay(work))
    throw cannotConvert(conversions[0].obstacle ?? { reason: 'conversion', words: 'no format is accepted' });
  return possible;
}

async function smallerThanOwn(
  { source, policy, timeLimit }: Work,
  upload: OpenedUpload,
  conversions: readonly Conversion[],
): Promise<Outcome> {
  const ownBytes = await upload.ownBytes();
  if (timeLimit?.endsTrials()) return upload.own();
  const estimates = await predicted(conversions);
  // If nothing may be lost, only the own format can be written, without loss.
  const isWorthATry = ownBytes > 0 && estimates[0].bytes / BIAS <= ownBytes * WORTHWHILE;
  if (!isWorthATry || timeLimit?.endsTrials()) return upload.own();
  const { candidate: best, passes } = await findSmallest(conversions, estimates);
  if (!passes) return upload.own();
  const isCertain = best.bytes.length <= ownBytes * CERTAIN;
  if (isCertain || (best.bytes.length < ownBytes && timeLimit?.endsTrials()))
    return worthwhile(best) ?? upload.own();
  const outcome = await upload.own();
  return best.bytes.length < outcome.bytes.length ? (worthwhile(best) ?? outcome) : outcome;

  function worthwhile(candidate: Candidate): Candidate | undefined {
    const isResized = !sameSize(candidate.dimensions, source.dimensions);
    const mustChange = isResized || policy.background !== undefined;
    return chooseSmallest(source.bytes.length, [candidate], { ...policy, mustChange });
  }
}

interface SizeEstimate {
  readonly conversion: Conversion;
  /** Infinite without a trial: another format always beats it, or time is short. */
  readonly bytes: number;
}

/** Returns the conversions with their predicted sizes, the smallest first. */
async function predicted(conversions: readonly Conversion[]): Promise<SizeEstimate[]> {
  const formats = new Set(conversions.map(({ format }) => format));
  const estimates: SizeEstimate[] = [];
  for (const conversion of conversions) {
    const { dominatedBy } = conversion;
    const isDominated = dominatedBy !== undefined && formats.has(dominatedBy);
    estimates.push({ conversion, bytes: isDominated ? Infinity : await conversion.predict() });
  }
  return estimates.sort((a, b) => a.bytes - b.bytes);
}

/** Encodes the conversion with the smallest prediction, then those that may still be smaller. */
async function findSmallest(
  conversions: readonly Conversion[],
  known?: readonly SizeEstimate[],
): Promise<Written> {
  const [first, ...rest] =
    known ??
    (conversions.length > 1 ? await predicted(conversions) : [{ conversion: conversions[0], bytes: 0 }]);
  let best = await first.conversion.run();
  for (const { conversion, bytes } of rest) {
    // Predictions are too high about as often as too low.
    const isHopeless = bytes > best.candidate.bytes.length * CLOSE;
    if (best.passes && (isHopeless || conversion.isLate())) continue;
    best = pickBetter(best, await conversion.run());
  }
  return best;
}

/** Returns the smaller one of those that look like the upload; without any, the one that looks more like it. */
function pickBetter(a: Written, b: Written): Written {
  if (a.passes !== b.passes) return a.passes ? a : b;
  if (!a.passes) return b.searchScore > a.searchScore ? b : a;
  return b.candidate.bytes.length < a.candidate.bytes.length ? b : a;
}
