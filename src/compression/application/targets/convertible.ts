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
import { isPlainSrgb, isRgbProfile } from '../../formats/icc-profile';
import type { EmbeddedBlocks } from '../../formats/embedded-blocks';
import type { JpegSource, PngSource } from '../../formats/image-header';
import { jpegBlocks } from '../../formats/jpeg/jpeg-blocks';
import { pngBlocks } from '../../formats/png/png-blocks';
import { embeddedProfile } from '../../formats/png/png-colour';
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
  const { pixels } = await work.image();
  const allowance = await allowanceFor(work);
  const allowedLoss = Math.max(allowance.loss, LEAST_SHARE * (1 - policy.targetScore));
  const profile = work.isCmyk ? undefined : structure.iccProfile;
  const icc = profile && isRgbProfile(profile) && !isPlainSrgb(profile) ? profile : undefined;
  const compact = withoutRedundantChannels(pixels, icc === undefined);
  return {
    pixels: compact,
    dimensions: size,
    isPhoto: true,
    metadata: {
      ...(icc ? { icc } : {}),
      ...jpegBlocks(structure.metadata, { keep: policy.keepMetadata, dimensions: size }),
    },
    removed: keptCompanions(structure.companions, 'none').removed,
    judge: () => photoJudge(compact, allowedLoss),
  };
}

/** In a PNG, photos take some 10 bits a pixel without loss, screenshots and drawings usually less than 3. */
const PHOTO_BITS_PER_PIXEL = 5;
const ESTIMATED_PIXELS = 250_000;

/** @throws ImageRefused `cannot_convert` if its colours have no equivalent in other formats */
export async function convertiblePng(work: PngWork, upload: PngSource): Promise<Convertible> {
  const { policy, size } = work;
  const { colourChunks, chunks } = upload.structure;
  const icc = embeddedProfile(colourChunks);
  if (!hasCommonColours(upload)) {
    throw cannotConvert('its colours are described in a way that only PNG has');
  }
  const pixels = await work.pixels();
  const compact = withoutRedundantChannels(pixels, icc === undefined);
  const isPhoto = isPhotographic(compact, pixels);
  return {
    pixels: compact,
    dimensions: size,
    isPhoto,
    metadata: {
      ...(icc ? { icc } : {}),
      ...pngBlocks(chunks, { keep: policy.keepMetadata, dimensions: size }),
    },
    removed: (await work.hasDeepSamples()) ? ['bit-depth'] : [],
    // A graphic that must fit into a budget may lose what a photo may.
    judge: () =>
      isPhoto || policy.budget
        ? photoJudge(compact, 1 - policy.targetScore)
        : graphicJudge(pixels, policy.targetScore),
  };
}

/** Whether other formats can describe the colours of a PNG: plain sRGB, or a profile for RGB. */
export function hasCommonColours({ structure: { colourChunks, isSrgbLike } }: PngSource): boolean {
  if (!isSrgbLike) return false;
  const icc = embeddedProfile(colourChunks);
  return colourChunks.length === 0 || (colourChunks.length === 1 && icc !== undefined && isRgbProfile(icc));
}

function isPhotographic(compact: Pixels, rgba: Pixels): boolean {
  const isOpaqueColour = compact.channels === 1 || compact.channels === 3;
  if (!isOpaqueColour || indexed(rgba) !== undefined) return false;
  const part = sampleBands(compact, ESTIMATED_PIXELS);
  return losslessDensity(part) * compact.channels * 8 >= PHOTO_BITS_PER_PIXEL;
}
