import type { ResultFormatName } from '../../../contract/formats';
import type { RemovedData } from '../../../contract/report-words';
import { lostTransparency, type Obstacle } from '../../../contract/image-problems';
import { isLossless } from '../../domain/compression-policy';
import { sampleBands } from '../../domain/near-lossless/sample-bands';
import { asRgba, hasHiddenColours, maxDifference, type Pixels } from '../../domain/pixels';
import { buildMosaic } from '../../domain/search/mosaic';
import { listBlocks, type BlockName, type EmbeddedBlocks } from '../../formats/embedded-blocks';
import type { Candidate } from '../outcome';
import { meanwhile, once, type Work } from '../work';
import type { Convertible } from '../uploads/upload';
import { MosaicJudge } from './judge';
import { LossyAttempt, searchInTurn } from './lossy-attempt';
import type { ResultFormat } from '../result-format.port';

/** If no quality passes, a lossless file may take this many times the bytes of the upload. */
const MOST_WITHOUT_LOSS = 1.25;
/** A part of a larger image predicts that. */
const ESTIMATED_PIXELS = 250_000;
const ESTIMATE_TOLERANCE = 1.2;

export interface Written {
  readonly candidate: Candidate;
  readonly passes: boolean;
  readonly searchScore: number;
}

export class Conversion {
  private readonly attempts = once(() => this.startedAttempts());
  readonly dominatedBy: ResultFormatName | undefined;
  readonly losesColours: boolean;
  readonly losesBits: boolean;
  private readonly removed: readonly RemovedData[];

  constructor(
    readonly format: ResultFormatName,
    private readonly into: ResultFormat,
    private readonly image: Convertible,
    private readonly work: Work,
  ) {
    this.dominatedBy = image.isPhoto ? into.smallerForPhotos : undefined;
    const dropped = droppedBlocks(into, image.metadata);
    this.losesColours = dropped.includes('icc');
    const removed = [...image.removed];
    this.losesBits = removed.includes('bit-depth');
    if (this.losesColours) removed.push('colour-profile');
    if (dropped.some((block) => block !== 'icc')) removed.push('kept-metadata');
    this.removed = [...new Set(removed)];
  }

  get obstacle(): Obstacle | undefined {
    const { width, height, channels } = this.image.pixels;
    const { label, maxSidePx, maxPixels = Infinity, hasAlpha } = this.into;
    if (Math.max(width, height) > maxSidePx)
      return { reason: 'side-too-long', words: `${label} holds at most ${maxSidePx} px a side` };
    if (width * height > maxPixels)
      return { reason: 'side-too-long', words: `${label} holds at most ${maxPixels / 1e6} megapixels` };
    if (!hasAlpha && channels % 2 === 0) return lostTransparency(label);
    return isLossless(this.work.policy) ? this.describeLoss(label) : undefined;
  }

  private describeLoss(label: string): Obstacle | undefined {
    let loss: string | undefined;
    if (!this.into.encodeLosslessly) loss = 'is written with loss';
    else if (this.losesBits) loss = 'would round its samples to 8 bits';
    else if (this.image.isConverted || hasHiddenColours(this.image.pixels)) loss = 'would change its samples';
    if (!loss) return undefined;
    return { reason: 'conversion', words: `${label} ${loss}, which the quality "lossless" does not allow` };
  }

  /** Whether the file is lossy: photos are, graphics only if the format has no other coding. */
  private get isLossy(): boolean {
    const { lossy, encodeLosslessly } = this.into;
    const mayLose = this.image.isPhoto && !isLossless(this.work.policy);
    return lossy.length > 0 && (!encodeLosslessly || mayLose);
  }

  isLate(): boolean {
    return this.work.timeLimit?.endsTrials() === true;
  }

  /** Returns the predicted size of the file in bytes, accurate to about 5%; exact for lossless files. */
  async predict(): Promise<number> {
    if (this.isLate()) return Infinity;
    return (await this.attempt())?.bytes ?? (await this.lossless()).bytes.length;
  }

  /** Returns the file; if no quality passes and a lossless file is too large, the best one possible. */
  async run(): Promise<Written> {
    const attempts = await this.attempts();
    const attempt = attempts.at(0);
    if (!attempt) return this.exactly(await this.lossless());
    const file = await searchInTurn(attempts);
    const passes = attempt.passes(file);
    const exact = passes ? undefined : await this.losslessInstead();
    if (exact) return this.exactly(exact);
    return { candidate: this.described(file.candidate), passes, searchScore: file.score };
  }

  private exactly(candidate: Candidate): Written {
    return { candidate: this.described(candidate), passes: true, searchScore: candidate.score };
  }

  private async losslessInstead(): Promise<Candidate | undefined> {
    const { pixels } = this.image;
    if (!this.into.encodeLosslessly) return undefined;
    const most = this.work.source.bytes.length * MOST_WITHOUT_LOSS;
    const part = sampleBands(pixels, ESTIMATED_PIXELS);
    if (part.data.length < pixels.data.length) {
      const { length } = await this.work.stopwatch.time('search', () => this.encodeExactly(part));
      const whole = length * (pixels.data.length / part.data.length);
      if (whole > most * ESTIMATE_TOLERANCE) return undefined;
    }
    const exact = await this.lossless();
    return exact.bytes.length <= most ? exact : undefined;
  }

  private described(candidate: Candidate): Candidate {
    const { format, removed } = this;
    return { ...candidate, format, ...(removed.length > 0 ? { removed } : {}) };
  }

  private readonly lossless = once(async (): Promise<Candidate> => {
    const { image, into, work } = this;
    const exact = { score: 1, maxError: 0, dimensions: image.dimensions };
    const reduced = await image.reduced?.();
    // A palette is always smaller than the pixels that it replaces; slightly changed channels may not be.
    const isPalette = reduced !== undefined && reduced.maxError === undefined;
    const unreduced = { pixels: image.pixels, ...exact };
    const sources = [...(reduced ? [reduced] : []), ...(isPalette ? [] : [unreduced])];
    const candidates: Candidate[] = [];
    for (const { pixels, ...facts } of sources) {
      if (candidates.length > 0 && this.isLate()) break;
      const bytes = await work.stopwatch.time('encode', () => this.encodeExactly(pixels));
      await work.stopwatch.time('verify', async () => {
        const [decoded, wanted] = await meanwhile(into.decode(bytes, pixels), () => asRgba(pixels));
        if (maxDifference(wanted, asRgba(decoded)) > 0)
          throw new Error(`${this.format}: a file without loss has other pixels`);
      });
      candidates.push({ bytes, ...facts, dimensions: image.dimensions });
    }
    return candidates.reduce((best, other) => (other.bytes.length < best.bytes.length ? other : best));
  });

  private encodeExactly(pixels: Pixels): Promise<Uint8Array> {
    const { encodeLosslessly } = this.into;
    if (!encodeLosslessly) throw new Error(`${this.format} has no coding`);
    const effort = this.isLate() ? 'fast' : this.work.policy.effort;
    return encodeLosslessly(pixels, { effort, metadata: this.image.metadata });
  }

  private async attempt(): Promise<LossyAttempt | undefined> {
    return (await this.attempts()).at(0);
  }

  private async startedAttempts(): Promise<LossyAttempt[]> {
    if (!this.isLossy) return [];
    const { image, into, work } = this;
    const { lossy } = into;
    const tiles = { ...lossy[0].tiles, density: image.density };
    const pieces = once(() => buildMosaic(image.pixels, undefined, tiles));
    const decode = into.decode.bind(into);
    const attempts: LossyAttempt[] = [];
    for (const coding of image.pixels.channels < 3 ? lossy.slice(-1) : lossy) {
      const mosaic = once(() => new MosaicJudge(pieces(), coding.tiles.seamPx));
      attempts.push(await new LossyAttempt(coding, { image, mosaic, work, decode }).start());
    }
    return attempts.sort((one, other) => one.bytes - other.bytes);
  }
}

function droppedBlocks(format: ResultFormat, blocks: EmbeddedBlocks): BlockName[] {
  const { holds, maxBlockBytes = Infinity } = format;
  const isTooLong = (block: BlockName) => block !== 'icc' && (blocks[block]?.length ?? 0) > maxBlockBytes;
  return listBlocks(blocks).filter((block) => !holds?.includes(block) || isTooLong(block));
}
