/** Opens a JPG upload: see OpenedImage. CMYK, lookup tables and curves far from sRGB are converted only if the image has to be scaled. */
import type { RemovedData } from '../../../contract/report-words';
import type { CompressionPolicy } from '../../domain/compression-policy';
import { fitsWithin } from '../../domain/dimensions';
import { photoJudge } from '../../domain/judge';
import { once } from '../../domain/once';
import { withoutRedundantChannels } from '../../domain/pixels';
import { withTones } from '../../domain/tone';
import type { JpegSource } from '../../formats/image-header';
import { copyMetadata } from '../../formats/jpeg/metadata/copied-metadata';
import { withoutForeignMetadata } from '../../formats/jpeg/metadata/foreign-metadata';
import { jpegBlocks } from '../../formats/jpeg/metadata/jpeg-blocks';
import { jpegColours } from '../../formats/jpeg/jpeg-structure';
import { readResultMarker } from '../../formats/jpeg/result-marker';
import { removedTrailingData } from '../../formats/jpeg/trailing-data';
import { isResultFor } from '../../formats/result-policy';
import type { Result } from '../choose';
import type { JpegCodec } from '../codecs.port';
import { mayStay, type Context } from '../context';
import type { OpenedImage, ShownImage, View } from '../opened-image';
import { estimateAllowance, type Allowance } from './jpeg-allowance';
import { jpegCodings, searchJpeg, storedQuality } from './jpeg-codings';
import { listChromaModes, prepareJpeg, type JpegImage } from './jpeg-image';

/** A result may always lose this share of the target, even if earlier codings have used it up. */
const LEAST_SHARE = 0.25;
/** See canEnd: to decode, to encode once and to score took 88 to 155 ms a megapixel (13 photos). */
const LEAST_MS = 150;

/** @param larger the same upload, prepared for larger dimensions */
export function openJpeg(upload: JpegSource, context: Context, larger?: JpegImage): OpenedImage {
  const { source, removed } = mayStay(context, 'jpeg')
    ? withKeptTrailingData(upload, context.policy)
    : withoutGainMap(upload);
  const image = prepareJpeg(source, context, larger);
  const { isScaled, size, written, decoded } = image;
  const allowance = once(() => estimateAllowance(image));
  const search = once(async () => {
    const [pixels, { loss, upload: coding }] = [await decoded(), await allowance()];
    const chromaModes = listChromaModes(image, pixels);
    const write = (encoded: Uint8Array) => copyMetadata(source.structure, encoded, written);
    const { density } = image;
    return searchJpeg(image, { pixels, density, chromaModes, loss, upload: coding, write });
  });
  return {
    source: upload,
    size,
    isFixed: false,
    leastMs: LEAST_MS,
    mustChange: isScaled,
    codings: async () => {
      const isDone = !isScaled && removed.length === 0 && isEarlierResult(image);
      return isDone ? [] : jpegCodings(image, allowance, search, removed);
    },
    estimate: async () => ((await allowance()).loss === 0 ? 0 : (await (await search()).attempts())[0].bytes),
    unchanged: () => unchanged(upload, image),
    shown: () => shownImage(image, allowance, removed),
    // Without its gain map, a photo may be rotated.
    reopen: (other) => openJpeg(upload, other, source.structure.trailing.gainMap ? undefined : image),
  };
}

/** Returns the image that results are compared with: without a gain map, so that it is upright. */
export function viewJpeg(upload: JpegSource, context: Context): View {
  const image = prepareJpeg(withoutGainMap(upload).source, context);
  return {
    colours: image.source.structure.iccProfile ?? new Uint8Array(),
    stored: image.unconverted,
    shown: () => shownPixels(image, image.unconverted),
    icc: image.colours.icc,
    ...(image.appliesTable && { inSrgb: image.decoded }),
  };
}

interface KeptSource {
  readonly source: JpegSource;
  readonly removed: readonly RemovedData[];
}

/** Drops the data behind the image that a new file cannot keep, and names them. A crop loses the gain map. */
function withKeptTrailingData(source: JpegSource, policy: CompressionPolicy): KeptSource {
  const isCropped = policy.box?.crop !== undefined && !fitsWithin(source.dimensions, policy);
  return isCropped
    ? withoutGainMap(source)
    : { source, removed: removedTrailingData(source.structure.trailing, true) };
}

function withoutGainMap(source: JpegSource): KeptSource {
  const { structure } = source;
  const trailing = { ...structure.trailing, gainMap: undefined };
  const removed = removedTrailingData(structure.trailing, false);
  return { source: { ...source, structure: { ...structure, trailing } }, removed };
}

function isEarlierResult({ source: { bytes, structure }, policy, density }: JpegImage) {
  const made = readResultMarker(bytes.subarray(0, structure.end), structure.segments);
  return isResultFor(made, { ...policy, density });
}

/** The upload itself has no quality; a copy without metadata has the quality of its coding. */
function unchanged(upload: JpegSource, { policy: { keepMetadata: keep }, codec }: JpegImage): Result {
  const { bytes, structure, dimensions } = upload;
  const same = { format: 'jpeg', bytes, score: 1, dimensions, skipReason: 'already-optimised' } as const;
  const copy = keep === 'all' ? undefined : withoutForeignMetadata(bytes, structure, keep);
  if (!copy) return same;
  const removed = removedTrailingData(structure.trailing, true);
  return { ...same, bytes: copy, removed, quality: storedQuality(structure, codec) };
}

async function shownImage(
  image: JpegImage,
  allowance: () => Promise<Allowance>,
  dropped: readonly RemovedData[],
): Promise<ShownImage> {
  const { policy, density, source, icc, codec, isConverted, colours, written } = image;
  const compact = withoutRedundantChannels(await shownPixels(image), icc === undefined);
  const { loss } = await allowance();
  const allowedLoss = Math.max(loss, LEAST_SHARE * (1 - policy.targetScore));
  const { blocks, removed } = jpegBlocks(source.structure.metadata, written);
  return {
    pixels: compact,
    isPhoto: true,
    density,
    metadata: { ...(icc && { icc }), ...blocks },
    isConverted: isConverted || colours.curves !== undefined,
    removed: [...dropped, ...(losesProfile(source, codec) ? (['colour-profile'] as const) : []), ...removed],
    judge: () => photoJudge(compact, allowedLoss, density),
  };
}

async function shownPixels({ colours: { curves }, isConverted, decoded }: JpegImage, decode = decoded) {
  const pixels = await decode();
  return curves && !isConverted ? withTones(pixels, curves) : pixels;
}

function losesProfile({ structure }: JpegSource, { readsProfiles }: JpegCodec) {
  const { components, iccProfile } = structure;
  const isIgnored = components.length === 4 && !readsProfiles;
  return iccProfile !== undefined && (isIgnored || jpegColours(structure).hasOtherProfile === true);
}
