import type { Dimensions } from '../../domain/dimensions';
import type { ChromaSubsampling } from '../../domain/pixels';
import type { Mosaic } from '../../domain/search/mosaic';
import { MosaicReference } from '../../domain/search/mosaic-score';
import { jpegCurve, TrialCurve, type TrialResult } from '../../domain/search/trial-curve';
import type { FormerCoding, JpegCodec } from '../codecs.port';
import type { Stopwatch } from '../stopwatch';

/** Trial encodes of a mosaic. */
export class MosaicTrials {
  private readonly codec: JpegCodec;
  private readonly stopwatch: Stopwatch;
  private reference: MosaicReference | undefined;
  private largestError = 0;

  constructor(
    readonly mosaic: Mosaic,
    { codec, stopwatch }: { readonly codec: JpegCodec; readonly stopwatch: Stopwatch },
  ) {
    this.codec = codec;
    this.stopwatch = stopwatch;
  }

  /** Returns the area of an image ÷ the area of the mosaic. */
  areaRatio({ width, height }: Dimensions): number {
    const { pixels } = this.mosaic;
    return (width * height) / (pixels.width * pixels.height);
  }

  /** Standard error of the estimated loss of the image, relative to that loss. */
  get relativeError(): number {
    return this.largestError;
  }

  curve(chroma: ChromaSubsampling): TrialCurve {
    const { density = 1 } = this.mosaic;
    return new TrialCurve(chroma, (quality) => this.encode(chroma, quality), jpegCurve(chroma, density));
  }

  /** Encodes the mosaic once and returns its loss and size. */
  encode(chroma: ChromaSubsampling, quality: number): Promise<TrialResult> {
    return this.stopwatch.time('search', async () => {
      const options = { quality, chroma, purpose: 'trial' } as const;
      const encoded = await this.codec.encode(this.mosaic.pixels, options);
      return { loss: await this.lossOf(encoded), size: encoded.length };
    });
  }

  /** Returns the loss of the mosaic with the tables of its former coding; undefined if the codec cannot encode with them. */
  lossWithFormerTables(former: FormerCoding): Promise<number | undefined> {
    return this.stopwatch.time('search', async () => {
      const encoded = await this.codec.encodeWithFormerTables(this.mosaic.pixels, former);
      return encoded && this.lossOf(encoded);
    });
  }

  private async lossOf(encoded: Uint8Array): Promise<number> {
    const decoded = await this.codec.decodeTrial(encoded, this.mosaic.pixels);
    const reference = (this.reference ??= new MosaicReference(this.mosaic));
    const { score, relativeError } = reference.score(decoded);
    this.largestError = Math.max(this.largestError, relativeError);
    return 1 - score;
  }
}
