/** Estimates how much a JPEG has lost in earlier codings, and how much this encode may lose. */
import { isLossless } from '../../domain/compression-policy';
import { buildMosaic } from '../../domain/search/mosaic';
import { blockOrigin, offGridOrigin } from '../../domain/history/dct-blocks';
import { detectFormerCoding } from '../../domain/history/coding-history';
import {
  hasLostSomething,
  isFormerCoding,
  mayLimitLoss,
  mayHideFormerCoding,
  earlierLoss,
  type EarlierCoding,
  allowedLoss,
} from '../../domain/history/loss-allowance';
import {
  equivalentQuality,
  isFamilyTable,
  MOZJPEG_TABLES,
  STANDARD_TABLES,
  type TableFamily,
} from '../../domain/history/quantization-tables';
import type { ChromaSubsampling, Pixels } from '../../domain/pixels';
import type { FormerCoding, JpegCodec } from '../codecs.port';
import { hasDearTrials, PROGRESSIVE_SHARE, type UploadCoding } from './jpeg-format';
import { MosaicJudge } from '../../domain/judge';
import { once } from '../../domain/once';
import { listChromaModes, type JpegImage } from './jpeg-image';

export interface Allowance {
  /** Largest 1 − score against the upload; 0 if only lossless changes are allowed. */
  readonly loss: number;
  /** The coding of the upload; absent if its block grid is unknown, for example after scaling. */
  readonly upload?: UploadCoding;
  readonly former?: RestorableCoding | undefined;
}

interface RestorableCoding {
  readonly coding: FormerCoding;
  /** Expected size of the file that restores it. */
  readonly bytes: number;
}

export async function estimateAllowance(work: JpegImage): Promise<Allowance> {
  const { source, policy, isScaled, isConverted } = work;
  const { lumaSteps } = source.structure;
  const pixels = await work.decoded();
  const [chroma] = listChromaModes(work, pixels);
  // Scaling destroys the block grid of the upload and reduces its loss.
  if (!lumaSteps || isScaled || isConverted || isLossless(policy))
    return { loss: allowedLoss(policy, 0, chroma) };
  const history = new CodingTrials(work, pixels, chroma, lumaSteps);
  const { quality, isByThisEncoder } = history.lastCoding();
  const { width, height } = pixels;
  const former = mayHideFormerCoding(quality) ? await history.formerCoding() : undefined;
  // A trial that cannot limit the loss only improves the first guess, which costs more than it saves where trials are dear.
  const isMeasured =
    former ||
    !hasDearTrials(width * height, work.density) ||
    mayLimitLoss({ ...policy, isEncodedHere: isByThisEncoder }, quality, chroma);
  const reencodingLoss = isMeasured ? await history.reencodingLossAt(quality) : 0;
  const bitsPerPixel = (8 * source.structure.end) / (width * height);
  const upload = { chroma, quality, bitsPerPixel, reencodingLoss };
  const past = [{ ...upload, isByThisEncoder }, ...(former ? [former.earlier] : [])];
  const isEncodedHere = past.some((coding) => coding.isByThisEncoder);
  const loss = allowedLoss({ ...policy, isEncodedHere }, earlierLoss(past, chroma), chroma);
  return { loss, upload, former: former?.restorable };
}

/** Returns the tables of the usual encoders, and of the engine's. */
export function tableFamilies(
  codec: JpegCodec,
  chroma: ChromaSubsampling,
): Readonly<Record<TableFamily['name'], TableFamily>> {
  const engine: TableFamily = { name: 'engine', stepsAt: (quality) => codec.lumaSteps(quality, chroma) };
  return { standard: STANDARD_TABLES, mozjpeg: MOZJPEG_TABLES, engine };
}

/** Trial encodes of an upload with the tables of its earlier codings, on and off its block grid. */
class CodingTrials {
  private readonly families = tableFamilies(this.work.codec, this.chroma);
  private readonly along: () => MosaicJudge;
  private readonly across: () => MosaicJudge;

  constructor(
    private readonly work: JpegImage,
    pixels: Pixels,
    private readonly chroma: ChromaSubsampling,
    private readonly lumaSteps: readonly number[],
  ) {
    const origin = blockOrigin(pixels, work.appliedOrientation);
    const { density } = work;
    this.along = once(() => new MosaicJudge(buildMosaic(pixels, origin, { density })));
    this.across = once(() => new MosaicJudge(buildMosaic(pixels, offGridOrigin(origin), { density })));
  }

  lastCoding(): { readonly quality: number; readonly isByThisEncoder: boolean } {
    const { lumaSteps } = this;
    const { engine, mozjpeg } = this.families;
    const isByThisEncoder = isFamilyTable(engine, lumaSteps) && !isFamilyTable(mozjpeg, lumaSteps);
    return { quality: equivalentQuality(lumaSteps, engine), isByThisEncoder };
  }

  /** Returns the coarser coding before that; undefined if there is no sign of one. */
  async formerCoding(): Promise<
    { readonly restorable: RestorableCoding | undefined; readonly earlier: EarlierCoding } | undefined
  > {
    const { work, chroma, families, lumaSteps } = this;
    const isTransposed = work.appliedOrientation >= 5;
    const suspected = work.stopwatch.measure('search', () =>
      detectFormerCoding(this.along().pixels, lumaSteps, Object.values(families), isTransposed),
    );
    if (!suspected) return undefined;
    const coding = { ...suspected, chroma };
    const steps = families[suspected.family].stepsAt(suspected.quality);
    const reencodingLoss = await this.reencodingLossAt(equivalentQuality(steps, families.engine));
    // The block grid must be the same.
    const back =
      work.appliedOrientation === 1
        ? await this.trial(this.along(), (pixels) =>
            work.codec.encodeWithFormerTables(pixels, coding, 'trial'),
          )
        : undefined;
    if (!isFormerCoding(back?.loss, reencodingLoss)) return undefined;
    const earlier = { reencodingLoss, isByThisEncoder: suspected.family === 'engine' };
    return { restorable: back && { coding, bytes: back.bytes }, earlier };
  }

  async reencodingLossAt(quality: number): Promise<number> {
    if (!hasLostSomething(quality)) return 0;
    const options = { quality, chroma: this.chroma, purpose: 'trial' } as const;
    const trial = await this.trial(this.across(), (pixels) => this.work.codec.encode(pixels, options));
    return trial?.loss ?? 0;
  }

  /** Returns 1 − score of the mosaic, and the expected size of the whole file; undefined if the codec cannot encode it. */
  private trial(judge: MosaicJudge, encode: (pixels: Pixels) => Promise<Uint8Array | undefined>) {
    const { codec, size, stopwatch } = this.work;
    const { pixels } = judge;
    return stopwatch.time('search', async () => {
      const encoded = await encode(pixels);
      if (!encoded) return undefined;
      const loss = judge.measureLoss(await codec.decodeTrial(encoded, pixels));
      const share = (pixels.width * pixels.height) / (size.width * size.height);
      return { loss, bytes: (PROGRESSIVE_SHARE * encoded.length) / share };
    });
  }
}
