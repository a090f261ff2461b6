import type { Dimensions } from '../domain/dimensions';
import type { ChromaSubsampling } from '../domain/pixels';
import type { ChromaMode } from '../domain/search/chroma-choice';
import { QualityCurve, type Sampler, type SampleResult } from '../domain/search/quality-curve';
import type { Sample } from '../domain/search/sample-mosaic';
import { SampleReference } from '../domain/search/sample-score';
import type { JpegCodec } from './codecs.port';
import type { Stopwatch } from './stopwatch';

/** A small stand-in for the picture, to be coded and scored at many qualities. */
export class JpegSample {
  private slowestMsPerPixel = 0;
  private reference: SampleReference | undefined;

  constructor(
    private readonly sample: Sample,
    private readonly codec: JpegCodec,
    private readonly stopwatch: Stopwatch,
  ) {}

  /** How the picture behaves in a chroma mode. */
  mode(chroma: ChromaSubsampling): ChromaMode {
    const sampler: Sampler = (quality, purpose) => this.look(chroma, quality, purpose);
    return { chroma, curve: new QualityCurve(chroma, sampler, this.codec.hasDrafts) };
  }

  /** What a look at so many pixels would take at most, by those that there have been. */
  msFor({ width, height }: Dimensions): number {
    return this.slowestMsPerPixel * width * height;
  }

  look(
    chroma: ChromaSubsampling,
    quality: number,
    purpose: 'draft' | 'search' = 'search',
  ): Promise<SampleResult> {
    return this.stopwatch.time('search', async () => {
      const start = performance.now();
      const { pixels } = this.sample;
      const encoding = this.codec.encode(pixels, { quality, chroma, purpose });
      // The encoder works on a thread of its own; the reference is made ready beside it.
      const reference = (this.reference ??= new SampleReference(this.sample));
      const encoded = await encoding;
      const seen = reference.score(await this.codec.decode(encoded, { orientation: 1 }));
      const msPerPixel = (performance.now() - start) / (pixels.width * pixels.height);
      this.slowestMsPerPixel = Math.max(this.slowestMsPerPixel, msPerPixel);
      return { ...seen, size: encoded.length };
    });
  }
}
