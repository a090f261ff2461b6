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
  type EncoderQuality,
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

interface Trial {
  /** 1 − score of the mosaic. */
  readonly loss: number;
  /** Expected size of the whole file. */
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

export function engineTables(codec: JpegCodec, chroma: ChromaSubsampling): TableFamily {
  return { name: 'engine', stepsAt: (quality) => codec.lumaSteps(quality, chroma) };
}

/** Trial encodes of an upload with the tables of its earlier codings, on and off its block grid. */
class CodingTrials {
  private readonly engine: TableFamily;
  private readonly families: readonly TableFamily[];
  private readonly along: () => MosaicJudge;
  private readonly across: () => MosaicJudge;

  constructor(
    private readonly work: JpegImage,
    pixels: Pixels,
    private readonly chroma: ChromaSubsampling,
    private readonly lumaSteps: readonly number[],
  ) {
    this.engine = engineTables(work.codec, chroma);
    this.families = [STANDARD_TABLES, MOZJPEG_TABLES, this.engine];
    const origin = blockOrigin(pixels, work.appliedOrientation);
    const { density } = work;
    this.along = once(() => new MosaicJudge(buildMosaic(pixels, origin, { density })));
    this.across = once(() => new MosaicJudge(buildMosaic(pixels, offGridOrigin(origin), { density })));
  }

  lastCoding(): { readonly quality: number; readonly isByThisEncoder: boolean } {
    const { engine, lumaSteps } = this;
    const isByThisEncoder = isFamilyTable(engine, lumaSteps) && !isFamilyTable(MOZJPEG_TABLES, lumaSteps);
    return { quality: equivalentQuality(lumaSteps, engine), isByThisEncoder };
  }

  /** Returns the coarser coding before that; undefined if there is no sign of one. */
  async formerCoding(): Promise<
    { readonly restorable: RestorableCoding | undefined; readonly earlier: EarlierCoding } | undefined
  > {
    const { work, chroma, families, lumaSteps } = this;
    const isTransposed = work.appliedOrientation >= 5;
    const suspected = work.stopwatch.measure('search', () =>
      detectFormerCoding(this.along().pixels, lumaSteps, families, isTransposed),
    );
    if (!suspected) return undefined;
    const coding = { ...suspected, chroma };
    const reencodingLoss = await this.reencodingLossAt(
      equivalentQuality(this.listSteps(suspected), this.engine),
    );
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
    return (await this.trial(this.across(), (pixels) => this.work.codec.encode(pixels, options))).loss;
  }

  private trial<Encoded extends Uint8Array | undefined>(
    judge: MosaicJudge,
    encode: (pixels: Pixels) => Promise<Encoded>,
  ): Promise<Trial | Exclude<Encoded, Uint8Array>> {
    return this.work.stopwatch.time('search', async () => {
      const encoded = await encode(judge.pixels);
      return encoded && this.measured(judge, encoded);
    });
  }

  private async measured(judge: MosaicJudge, encoded: Uint8Array): Promise<Trial> {
    const { codec, size } = this.work;
    const loss = judge.measureLoss(await codec.decodeTrial(encoded, judge.pixels));
    const share = (judge.pixels.width * judge.pixels.height) / (size.width * size.height);
    return { loss, bytes: (PROGRESSIVE_SHARE * encoded.length) / share };
  }

  private listSteps({ family, quality }: EncoderQuality) {
    const found = this.families.find(({ name }) => name === family);
    if (!found) throw new Error(`There is no family of tables named ${family}`);
    return found.stepsAt(quality);
  }
}
