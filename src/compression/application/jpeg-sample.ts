import type { Dimensions } from '../domain/dimensions';
import type { ChromaSubsampling } from '../domain/pixels';
import type { SampleResult } from '../domain/search/quality-curve';
import type { Sample } from '../domain/search/sample-mosaic';
import { SampleReference } from '../domain/search/sample-score';
import type { JpegCodec } from './codecs.port';
import type { Stopwatch } from './stopwatch';

/** A small stand-in for the picture, to be coded and scored at many qualities. */
export class JpegSample {
  private slowestMsPerPixel = 0;
  private readonly reference: SampleReference;

  constructor(
    private readonly sample: Sample,
    private readonly codec: JpegCodec,
    private readonly stopwatch: Stopwatch,
  ) {
    this.reference = new SampleReference(sample);
  }

  /** What a look at so many pixels would take at most, by those that there have been. */
  msFor({ width, height }: Dimensions): number {
    return this.slowestMsPerPixel * width * height;
  }

  look(chroma: ChromaSubsampling, quality: number): Promise<SampleResult> {
    return this.stopwatch.time('search', async () => {
      const start = performance.now();
      const { pixels } = this.sample;
      const encoded = await this.codec.encode(pixels, { quality, chroma, purpose: 'search' });
      const score = this.reference.score(await this.codec.decode(encoded, { orientation: 1 }));
      const msPerPixel = (performance.now() - start) / (pixels.width * pixels.height);
      this.slowestMsPerPixel = Math.max(this.slowestMsPerPixel, msPerPixel);
      return { score, size: encoded.length };
    });
  }
}
