import type { RemovedData } from '../../../contract/report-words';
import { withoutRedundantChannels, type Pixels } from '../../domain/pixels';
import { withTones } from '../../domain/tone';
import { isLikeSrgb } from '../../formats/icc-profile';
import type { JpegSource } from '../../formats/image-header';
import { jpegBlocks, keepsXmp } from '../../formats/jpeg/jpeg-metadata';
import { jpegColours } from '../../formats/jpeg/jpeg-structure';
import { removedTrailingData } from '../../formats/jpeg/trailing-data';
import type { JpegCodec } from '../codecs.port';
import { compressJpeg, compressOpenedJpeg, storedQuality, withoutGainMap } from '../jpeg/jpeg-recipe';
import { predictedBytes, SearchedJpeg } from '../jpeg/jpeg-search';
import type { Convertible, Upload } from './upload';
import { photoJudge } from '../results/judge';
import { once, type Work } from '../work';

export const jpegUpload: Upload<JpegSource> = {
  compress: compressJpeg,

  losesByConversion({ structure }) {
    const removed = removedTrailingData(structure.trailing, false);
    const { curves = [], hasOtherProfile, needsProfile = false } = jpegColours(structure);
    const isRewrittenOnly = structure.components.length === 4 || needsProfile || !curves.every(isLikeSrgb);
    return removed.length > 0 || isRewrittenOnly || hasOtherProfile === true;
  },

  async open(upload) {
    const { work, removed } = openedImage(upload);
    return {
      image: await convertible(work, removed),
      own: once(() => compressOpenedJpeg(work)),
      ownBytes: () => predictedBytes(work),
    };
  },

  view(upload) {
    const { work } = openedImage(upload);
    return {
      colours: work.source.structure.iccProfile ?? new Uint8Array(),
      stored: async () => (await work.unconverted()).pixels,
      shown: () => shownPixels(work, work.unconverted),
      icc: work.colours.icc,
      ...(work.appliesTable ? { inSrgb: async () => (await work.image()).pixels } : {}),
    };
  },

  /** The upload itself has no quality; a copy without metadata has the quality of its coding. */
  describeUnchanged: ({ bytes, structure }, outcome, { jpeg }) =>
    outcome.bytes === bytes ? {} : { quality: storedQuality(structure, jpeg) },

  describeResult({ source, policy }, { bytes, format }) {
    const losesXmp =
      policy.keepMetadata === 'all' && format === 'jpeg' && !keepsXmp(source.structure.metadata, bytes);
    return Promise.resolve(losesXmp ? { removed: ['xmp-positions'] } : {});
  },
};

/** Opens only the image: other formats hold nothing else. Without a gain map, its orientation is applied to the pixels. */
function openedImage(upload: Work<JpegSource>) {
  const { source, removed } = withoutGainMap(upload.source);
  return { work: new SearchedJpeg({ ...upload, source }), removed };
}

/** A result may always lose this share of the target, even if earlier codings have used it up. */
const LEAST_SHARE = 0.25;

async function convertible(work: SearchedJpeg, dropped: readonly RemovedData[]): Promise<Convertible> {
  const { policy, size, density, source, icc } = work;
  const shown = await shownPixels(work);
  const allowance = await work.allowance();
  const allowedLoss = Math.max(allowance.loss, LEAST_SHARE * (1 - policy.targetScore));
  const compact = withoutRedundantChannels(shown, icc === undefined);
  const { blocks, removed } = jpegBlocks(source.structure.metadata, work.metadataOptions);
  return {
    pixels: compact,
    dimensions: size,
    isPhoto: true,
    isConverted: work.isConverted || work.colours.curves !== undefined,
    density,
    metadata: { ...(icc ? { icc } : {}), ...blocks },
    removed: [
      ...dropped,
      ...(losesProfile(source, work.codec) ? (['colour-profile'] as const) : []),
      ...removed,
    ],
    judge: () => photoJudge(compact, allowedLoss, density),
  };
}

async function shownPixels(
  { colours: { curves }, isConverted, image }: SearchedJpeg,
  decoded = image,
): Promise<Pixels> {
  const { pixels } = await decoded();
  return curves && !isConverted ? withTones(pixels, curves) : pixels;
}

function losesProfile({ structure }: JpegSource, { readsProfiles }: JpegCodec): boolean {
  const { components, iccProfile } = structure;
  const isIgnored = components.length === 4 && !readsProfiles;
  return iccProfile !== undefined && (isIgnored || jpegColours(structure).hasOtherProfile === true);
}
