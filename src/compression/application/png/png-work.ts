import type { CompressionPolicy, Effort } from '../../domain/compression-policy';
import { fitWithin, sameSize, type Dimensions } from '../../domain/dimensions';
import { judgedDensity } from '../../domain/score/as-seen';
import { flattenOver, isOpaque, withoutRedundantChannels, type Pixels } from '../../domain/pixels';
import type { PngSource } from '../../formats/image-header';
import { mayBeGrey } from '../../formats/png/png-colour';
import { pngChunk, pngOfPixels } from '../../formats/png/png-chunks';
import { withEightBits } from '../../formats/png/png-depth';
import {
  keptChunks,
  withChunks,
  withColourChunks,
  withoutForeignChunks,
  withoutMetadata,
} from '../../formats/png/png-metadata';
import { LOSSY_CHUNK, pngResultMarker } from '../../formats/png/png-result-marker';
import { mayBeTransparent, readPngHeader, readPngStructure } from '../../formats/png/png-structure';
import { planReshaping, type WrittenMetadata } from '../../formats/reshaping';
import type { CodecEngine, PngCodec } from '../codecs.port';
import type { Candidate, Unchanged } from '../outcome';
import { type Stopwatch, once, type TimeLimit, type Work } from '../work';
import type { SkipReason } from '../../../contract/report-words';
import { FidelityGuard } from '../../domain/fidelity-guard';
import type { KeptColours } from '../../domain/kept-colours';
import type { Histogram } from '../../domain/palette/colour-histogram';
import type { IndexedImage } from '../../domain/palette/indexed-image';
import type { SmoothAreas } from '../../domain/smooth-areas';

/** Larger images get the effort `fast`: 14.4 megapixels of soft noise then take 20 s of CPU time instead of 27 s. A 4K screen has 8.3. */
const MAX_BALANCED_PIXELS = 8_500_000;

export class PngWork implements Work<PngSource> {
  readonly source: PngSource;
  readonly engine: CodecEngine;
  readonly policy: CompressionPolicy;
  readonly stopwatch: Stopwatch;
  readonly timeLimit: TimeLimit | undefined;
  readonly larger: Work['larger'];
  readonly codec: PngCodec;
  /** Upright. */
  readonly size: Dimensions;
  readonly isScaled: boolean;
  readonly density: number;
  readonly isFlattened: boolean;
  /** Whether the upload is a result of this service whose pixels differ from their source, at its own size. */
  readonly wasLossy: boolean;
  /** Upright and scaled, without metadata. */
  readonly plain: () => Promise<Uint8Array> = once(() =>
    this.stopwatch.time('decode', () => this.prepared()),
  );
  readonly pixels: () => Promise<Pixels> = once(async () => {
    const plain = await this.plain();
    return this.stopwatch.time('decode', () => this.codec.decode(plain));
  });

  constructor({ source, engine, policy, stopwatch, timeLimit, larger }: Work<PngSource>) {
    const { structure, dimensions } = source;
    this.source = source;
    this.engine = engine;
    this.codec = engine.png;
    this.stopwatch = stopwatch;
    this.timeLimit = timeLimit;
    this.larger = larger;
    this.size = fitWithin(dimensions, policy);
    this.isScaled = !sameSize(this.size, dimensions);
    this.density = judgedDensity(this.size, policy.density);
    const isLarge = this.size.width * this.size.height > MAX_BALANCED_PIXELS;
    this.policy = isLarge ? { ...policy, effort: 'fast' } : policy;
    this.isFlattened = policy.background !== undefined && mayBeTransparent(structure);
    this.wasLossy = !this.isScaled && structure.chunks.some(({ type }) => type === LOSSY_CHUNK);
  }

  atFullSize(): PngWork {
    const { source, engine, policy, stopwatch, timeLimit } = this;
    return new PngWork({ source, engine, stopwatch, timeLimit, policy: { ...policy, density: 1 } });
  }

  /** Whether to try nothing more. */
  isLate(): boolean {
    return this.timeLimit?.endsTrials() === true;
  }

  /**
   * Returns the judge of lossy files. Those of an attempt within a byte limit may lose all that its target allows.
   * @param whole dimensions of the image, if the source is a part of it
   */
  createGuard(source: Pixels, whole: Dimensions = source): FidelityGuard {
    const { policy, density } = this;
    const { targetScore, fit } = policy;
    const allowed = fit ? { allowedLoss: 1 - targetScore } : {};
    return new FidelityGuard(source, targetScore, { whole, density, ...allowed });
  }

  /** Whether the samples need their 16 bits; unknown, and thus true, for new samples. */
  async hasDeepSamples(): Promise<boolean> {
    if (this.source.structure.bitDepth <= 8) return false;
    return this.isScaled || this.isFlattened || readPngHeader(await this.plain()).bitDepth > 8;
  }

  /** Whether the pixels must not change: 16 bits, or colours far from sRGB, which the guard cannot judge. */
  async mustStayLossless(): Promise<boolean> {
    if (!this.source.structure.isSrgbLike) return true;
    return readPngStructure(await this.plain()).bitDepth > 8;
  }

  complete(candidate: Candidate): Candidate {
    const isLossy = this.wasLossy || candidate.maxError !== 0;
    const bytes = this.withMetadata(candidate.bytes, isLossy);
    return { ...candidate, bytes, ...this.removals };
  }

  /** Removed data, for the report, once the image is decoded. */
  get removals(): Pick<Candidate, 'removed'> {
    const { removed } = this.kept();
    return removed.length > 0 ? { removed } : {};
  }

  private readonly kept = once(() => keptChunks(this.source.structure, this.written));

  get written(): WrittenMetadata {
    const { storedSize, orientation } = this.source.structure;
    const { keepMetadata: keep, box } = this.policy;
    const reshaped = planReshaping(storedSize, this.size, orientation, box?.crop);
    return { keep, dimensions: this.size, orientation: 1, reshaped };
  }

  withMetadata(png: Uint8Array, isLossy: boolean): Uint8Array {
    const lossy = isLossy ? [pngChunk(LOSSY_CHUNK, new Uint8Array())] : [];
    const marker = pngResultMarker(png, { ...this.policy, density: this.density });
    return withChunks(png, [...this.kept().chunks, ...lossy, marker]);
  }

  withColours(png: Uint8Array): Uint8Array {
    return withColourChunks(png, this.source.structure.colourChunks);
  }

  /** Returns the pixels without redundant channels, with a single colour channel only if the colours of the upload allow that. */
  compact(pixels: Pixels): Pixels {
    return withoutRedundantChannels(pixels, mayBeGrey(this.source.structure.colourChunks));
  }

  private async prepared(): Promise<Uint8Array> {
    const upright = await this.upright();
    const png = withEightBits(upright, false)?.png ?? upright;
    const { background } = this.policy;
    if (!this.isFlattened || !background) return png;
    const pixels = await this.codec.decode(png);
    if (isOpaque(pixels)) return png;
    return this.withColours(pngOfPixels(this.compact(flattenOver(background, pixels))));
  }

  private async upright(): Promise<Uint8Array> {
    const { bytes, structure } = this.source;
    const { orientation, isSrgbLike } = structure;
    if (!this.isScaled && orientation === 1) return withoutMetadata(structure);
    // In a scaled image, the low 8 of 16 bits would mostly be noise, and many times the bytes of the upload.
    const { size, policy, isScaled } = this;
    const scaled = isScaled ? { size, isReduced: isSrgbLike, crop: policy.box?.crop } : {};
    if (isScaled && this.larger)
      return this.withColours(
        await this.codec.transform(await this.larger(), { size, isReduced: isSrgbLike, orientation: 1 }),
      );
    return this.withColours(await this.codec.transform(bytes, { orientation, ...scaled }));
  }
}

/** Returns the upload, or a copy with the same coded data without the metadata that the policy does not keep. */
export function unchangedPng({ source, policy }: Work<PngSource>, skipReason: SkipReason): Unchanged {
  const { bytes, structure } = source;
  const { keepMetadata: keep } = policy;
  const copy = keep === 'all' ? undefined : withoutForeignChunks(bytes, structure, keep);
  return { skipReason, bytes: copy ?? bytes };
}

export interface LossySource {
  /** Upright and scaled, as RGBA. */
  readonly pixels: Pixels;
  readonly compact: Pixels;
  readonly kept: KeptColours;
  readonly guard: FidelityGuard;
  readonly areas: () => SmoothAreas;
  readonly histogram: () => Histogram;
}

/** Pixels that have passed the guard. The final deflate is expensive, so only the winner gets it. */
export interface PngDraft {
  readonly score: number;
  /** In bytes. */
  readonly estimate: number;
  pack(effort: Effort): Promise<Uint8Array>;
  readonly part?: Pixels;
  /** The largest difference of any channel from the source; absent for palettes. */
  readonly errorBound?: number;
  /** Absent for near-lossless drafts. */
  readonly image?: IndexedImage;
}
