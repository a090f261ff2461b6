/**
 * The image of an upload, ready to be written in another format: upright and scaled pixels, the metadata to keep, and a judge
 * of what it may lose.
 */
import { cannotConvert } from '../../../contract/image-problems';
import type { RemovedCompanion } from '../../../contract/report-words';
import { keptCompanions } from '../../domain/companion-rule';
import type { Dimensions } from '../../domain/dimensions';
import { sampleBands } from '../../domain/near-lossless/sample-bands';
import { indexed } from '../../domain/palette/indexed-image';
import { withoutRedundantChannels, type Pixels } from '../../domain/pixels';
import { toneTables, withTones, type ToneCurves } from '../../domain/tone';
import type { EmbeddedBlocks } from '../../formats/embedded-blocks';
import type { JpegSource, PngSource } from '../../formats/image-header';
import { jpegBlocks } from '../../formats/jpeg/jpeg-blocks';
import { pngBlocks } from '../../formats/png/png-blocks';
import { withEightBits } from '../../formats/png/png-depth';
import { pngColours } from '../../formats/png/png-shown-colours';
import { jpegColours } from '../../formats/shown-colours';
import type { JpegCodec } from '../codecs.port';
import { allowanceFor } from '../jpeg/jpeg-allowance';
import { JpegWork } from '../jpeg/jpeg-work';
import { losslessDensity } from '../png/png-codings';
import type { PngWork } from '../png/png-work';
import type { Work } from '../work';
import { graphicJudge, photoJudge, type Judge } from './judge';

/** Changed pixels that look like the source. */
interface ReducedPixels {
  readonly pixels: Pixels;
  readonly score: number;
  /** Largest difference of any channel; absent for a palette. */
  readonly maxError?: number;
}

export interface Convertible {
  /** Grey, RGB or RGBA of 8 bits; no channel is redundant. */
  readonly pixels: Pixels;
  readonly dimensions: Dimensions;
  readonly isPhoto: boolean;
  readonly metadata: EmbeddedBlocks;
  /** What `pixels` were shown by, where they have other samples than the upload. */
  readonly curves?: ToneCurves;
  /** What the result does not have besides metadata. */
  readonly removed: readonly RemovedCompanion[];
  /** The pixels that the PNG recipe has made smaller without a visible difference; undefined if it has not. */
  readonly reduced?: () => Promise<ReducedPixels | undefined>;
  readonly judge: () => Judge;
}

/** A result may lose at least this share of the target, also if earlier codings have used it up. */
const LEAST_SHARE = 0.25;

/** Opens a JPEG for conversion: what follows its image is left out, and its orientation is applied. */
export function openForConversion(upload: Work<JpegSource>): JpegWork {
  const { source } = upload;
  const { companions } = keptCompanions(source.structure.companions, 'none');
  return new JpegWork({ ...upload, source: { ...source, structure: { ...source.structure, companions } } });
}

/** @param work opened by openForConversion */
export async function convertibleJpeg(work: JpegWork, upload: JpegSource): Promise<Convertible> {
  const { policy, size } = work;
  const { structure } = upload;
  const { colours, isConverted } = work;
  const { icc } = colours;
  const { pixels } = await work.image();
  const shown = colours.curves && !isConverted ? withTones(pixels, colours.curves) : pixels;
  const allowance = await allowanceFor(work);
  const allowedLoss = Math.max(allowance.loss, LEAST_SHARE * (1 - policy.targetScore));
  const compact = withoutRedundantChannels(shown, icc === undefined);
  const { blocks, isComplete } = jpegBlocks(structure.metadata, work.metadataOptions);
  return {
    pixels: compact,
    dimensions: size,
    isPhoto: true,
    metadata: { ...(icc ? { icc } : {}), ...blocks },
    removed: [
      ...keptCompanions(structure.companions, 'none').removed,
      ...(losesProfile(upload, work.codec) ? (['colour-profile'] as const) : []),
      ...(isComplete ? [] : (['kept-metadata'] as const)),
    ],
    judge: () => photoJudge(compact, allowedLoss),
  };
}

/** Whether a profile goes without an effect on the samples, because it is for others or the codec cannot apply it. */
function losesProfile({ structure }: JpegSource, { readsProfiles }: JpegCodec): boolean {
  const { components, iccProfile } = structure;
  const isIgnored = components.length === 4 && !readsProfiles;
  return iccProfile !== undefined && (isIgnored || jpegColours(structure).hasOtherProfile === true);
}

/** In a PNG, photos take some 10 bits a pixel without loss, screenshots and drawings usually less than 3. */
const PHOTO_BITS_PER_PIXEL = 5;
const ESTIMATED_PIXELS = 250_000;

/** @throws ImageRefused `cannot_convert` if its colours have no equivalent in other formats */
export async function convertiblePng(work: PngWork, upload: PngSource): Promise<Convertible> {
  const { policy, size } = work;
  const { chunks } = upload.structure;
  const colours = pngColours(upload.structure);
  if (!colours)
    throw cannotConvert(
      'no profile can describe its colours (PQ, HLG or another curve that only cICP names)',
    );
  const { icc, curves } = colours;
  const pixels = await shownPixels(work, curves);
  const compact = withoutRedundantChannels(pixels, icc === undefined);
  const isPhoto = isPhotographic(compact, pixels);
  const { blocks, isComplete } = pngBlocks(chunks, work.written);
  return {
    pixels: compact,
    dimensions: size,
    isPhoto,
    metadata: { ...(icc ? { icc } : {}), ...blocks },
    removed: [
      ...((await work.hasDeepSamples()) ? (['bit-depth'] as const) : []),
      ...(colours.hasOtherProfile ? (['colour-profile'] as const) : []),
      ...(isComplete ? [] : (['kept-metadata'] as const)),
    ],
    ...(curves ? { curves } : {}),
    // A graphic that must fit into a budget may lose what a photo may.
    judge: () =>
      isPhoto || policy.budget
        ? photoJudge(compact, 1 - policy.targetScore)
        : graphicJudge(pixels, policy.targetScore),
  };
}

/** Returns the pixels as RGBA of 8 bits; those of 16 bits get their curve before they lose their precision. */
async function shownPixels(work: PngWork, curves: ToneCurves | undefined): Promise<Pixels> {
  if (!curves) return work.pixels();
  const deep = withEightBits(await work.plain(), true, () => toneTables(curves, 65_536));
  return deep ? work.codec.decode(deep.png) : withTones(await work.pixels(), curves);
}

function isPhotographic(compact: Pixels, rgba: Pixels): boolean {
  const isOpaqueColour = compact.channels === 1 || compact.channels === 3;
  if (!isOpaqueColour || indexed(rgba) !== undefined) return false;
  const part = sampleBands(compact, ESTIMATED_PIXELS);
  return losslessDensity(part) * compact.channels * 8 >= PHOTO_BITS_PER_PIXEL;
}
