/** PNGs use its trials to estimate their own size as a JPEG. */
import type { Dimensions } from '../../domain/dimensions';
import type { ChromaSubsampling, Pixels } from '../../domain/pixels';
import { buildMosaic } from '../../domain/search/mosaic';
import { chooseChroma } from '../../domain/search/quality-search';
import { copyMetadata } from '../../formats/jpeg/jpeg-metadata';
import type { FormerCoding } from '../codecs.port';
import type { Candidate } from '../outcome';
import type { LossyCoding } from '../result-format.port';
import {
  jpegCoding,
  jpegFormat,
  likelyQuality,
  uploadPatience,
  type UploadCoding,
} from '../results/jpeg-format';
import { MosaicJudge, photoJudge } from '../results/judge';
import { LossyAttempt } from '../results/lossy-attempt';
import { once, type Work } from '../work';
import { estimateAllowance } from './jpeg-allowance';
import { JpegWork } from './jpeg-work';

interface JpegImage {
  readonly pixels: Pixels;
  readonly dimensions: Dimensions;
  readonly density: number;
  readonly chromaModes: readonly ChromaSubsampling[];
  /** Allowed loss; 0 if only lossless changes are allowed. */
  readonly loss: number;
  readonly upload?: UploadCoding | undefined;
  readonly write?: (encoded: Uint8Array) => Uint8Array;
}

interface LossyPrediction {
  readonly attempt: LossyAttempt;
  /** Expected size of the file; predictions are accurate to 15%. */
  readonly bytes: number;
}

export class JpegSearch {
  /** One for each chroma mode. They share a mosaic and a judge. */
  readonly attempts: readonly LossyAttempt[];
  readonly predict = once(() => this.smallest());
  /** Bytes of the last file besides its coded image; a guess before the first one. */
  overhead = 0;

  constructor(
    private readonly work: Pick<Work, 'engine' | 'policy' | 'stopwatch'>,
    private readonly image: JpegImage,
  ) {
    const { jpeg: codec } = work.engine;
    const format = jpegFormat(codec);
    const { pixels, dimensions, density, loss, chromaModes } = image;
    // A JPEG is opaque, also as RGBA.
    const judge = photoJudge(pixels, loss, density, true);
    const input = {
      image: { pixels, dimensions, isPhoto: true, density, metadata: {}, judge: () => judge },
      mosaic: once(() => new MosaicJudge(buildMosaic(pixels, undefined, { density }))),
      work,
      decode: (jpeg: Uint8Array, original: Pixels) => format.decode(jpeg, original),
      decodeTrial: (jpeg: Uint8Array, original: Pixels) => codec.decodeTrial(jpeg, original),
    };
    this.attempts = chromaModes.map((chroma) => new LossyAttempt(this.makeCoding(chroma), input));
  }

  get start(): number {
    const { loss, upload, density } = this.image;
    return likelyQuality(loss, upload, density);
  }

  async restore(former: FormerCoding): Promise<Candidate | undefined> {
    const { engine, stopwatch } = this.work;
    const { pixels } = this.image;
    const encoded = await stopwatch.time('encode', () => engine.jpeg.encodeWithFormerTables(pixels, former));
    return encoded && (await this.attempts[0].judged(this.written(encoded), former.quality)).candidate;
  }

  private async smallest(): Promise<LossyPrediction> {
    const { attempts } = this;
    const attempt = await chooseChroma(attempts, this.image.loss, attempts[0].range, this.start);
    return { attempt, bytes: attempt.bytes };
  }

  private makeCoding(chroma: ChromaSubsampling): LossyCoding {
    const { jpeg: codec } = this.work.engine;
    return {
      ...jpegCoding(codec, chroma),
      patience: uploadPatience,
      encode: async (pixels, { quality, purpose, image: { effort } }) => {
        const encoded = await codec.encode(pixels, { quality, chroma, purpose, effort });
        return purpose === 'trial' ? encoded : this.written(encoded);
      },
    };
  }

  private written(encoded: Uint8Array): Uint8Array {
    const bytes = this.image.write?.(encoded) ?? encoded;
    this.overhead = bytes.length - encoded.length;
    return bytes;
  }
}

export class SearchedJpeg extends JpegWork {
  readonly allowance = once(() => estimateAllowance(this));
  readonly search = once(() => openSearch(this));
}

async function openSearch(work: SearchedJpeg): Promise<JpegSearch> {
  const { source, metadataOptions, size: dimensions, density } = work;
  const { loss, upload } = await work.allowance();
  const { pixels, chromaModes } = await work.image();
  const write = (encoded: Uint8Array) => copyMetadata(source.structure, encoded, metadataOptions);
  return new JpegSearch(work, { pixels, dimensions, density, chromaModes, loss, upload, write });
}

/** Returns the expected size of the lossy file; 0 if only lossless changes are allowed. */
export async function predictedBytes(work: SearchedJpeg): Promise<number> {
  const { loss } = await work.allowance();
  return loss === 0 ? 0 : (await (await work.search()).predict()).bytes;
}
