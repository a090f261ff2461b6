/**
 * The score of a sample: that of its tiles, each by itself, pooled as the windows of one picture are.
 *
 * Scored as one picture, a mosaic says too little and too much. Windows across its seams see an edge that drowns every
 * loss; at an eighth of the size those are three in four. And halved chroma bleeds over the seams into the outermost
 * pixels of each tile, which counts as a loss that the picture does not have.
 */
import { sameSize, type Dimensions } from '../dimensions';
import { cut, luma, type Pixels } from '../pixels';
import type { Sample } from './sample-mosaic';
import { scoreOf, ScoreReference, TERMS } from '../score/ssim-score';

export interface SampleScore {
  /** The score that the whole picture would have if it were everywhere as it is here, 0..1. */
  readonly score: number;
  /** Standard error of the loss (1 − score) of the whole picture by that of its sample, as a share of it. */
  readonly relativeError: number;
}

interface Tile {
  readonly pixels: Pixels;
  readonly reference: ScoreReference;
}

export class SampleReference {
  private readonly size: Dimensions;
  private readonly tile: Dimensions;
  private readonly tiles: readonly Tile[];
  private readonly share: number;

  constructor({ pixels, tile, share }: Sample) {
    this.share = share;
    this.size = { width: pixels.width, height: pixels.height };
    this.tile = tile;
    this.tiles = tilesOf(pixels, tile).map((part) => ({ pixels: part, reference: new ScoreReference(part) }));
  }

  /** @throws RangeError when the sizes differ. */
  score(candidate: Pixels): SampleScore {
    if (!sameSize(candidate, this.size)) throw new RangeError('Only images of one size can be compared');
    const parts = tilesOf(candidate, this.tile);
    if (parts.length > 1) parts.forEach((part, i) => undoBleeding(part, this.tiles[i].pixels));
    const losses = this.tiles.map(({ reference }, i) => reference.losses(parts[i]));
    const means = TERMS.map(({ power }, term) => meanOf(losses.map((ofTile) => ofTile[term] ** power)));
    const score = scoreOf(means.map((mean, term) => mean ** (1 / TERMS[term].power)));
    return { score, relativeError: relativeErrorOf(losses, means, this.share) };
  }
}

/**
 * How far the loss of other tiles of the same picture would lie from that of these (standard deviation), as a share of
 * it: from what each tile adds to the pooled sum, to first order (the delta method), drawn without replacement. On 125
 * images of 512 × 512 and 55 larger ones, in both chroma modes, the whole lay within 0.8 to 1.4 times that (standard
 * deviation).
 * @param means of the losses of all tiles, each to the power of its term
 */
function relativeErrorOf(losses: readonly number[][], means: readonly number[], share: number): number {
  // One piece does not say how different its pieces are; what is left out may well be twice as bad.
  if (losses.length === 1) return 1 - share;
  const sum = TERMS.reduce(
    (total, { power, weight }, term) => total + weight * means[term] ** (1 / power),
    0,
  );
  if (sum === 0) return 0;
  const squares = losses.map((ofTile) => {
    const added = TERMS.map(({ power, weight }, term) => {
      const slope = means[term] === 0 ? 0 : (weight / power) * means[term] ** (1 / power - 1);
      return slope * (ofTile[term] ** power - means[term]);
    });
    return added.reduce((a, b) => a + b, 0) ** 2;
  });
  return Math.sqrt((meanOf(squares) / (losses.length - 1)) * (1 - share)) / sum;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}

function tilesOf(pixels: Pixels, tile: Dimensions): Pixels[] {
  if (sameSize(pixels, tile)) return [pixels];
  const tiles: Pixels[] = [];
  for (let top = 0; top < pixels.height; top += tile.height) {
    for (let left = 0; left < pixels.width; left += tile.width) tiles.push(cut(pixels, { left, top }, tile));
  }
  return tiles;
}

/** Gives the outermost pixels the error in colour of their inner neighbours, which lie too deep to be bled into. */
function undoBleeding(tile: Pixels, original: Pixels): void {
  const { width, height, channels, data } = tile;
  if (channels !== 3) return;
  const lumaError = (at: number) =>
    luma(
      data[at] - original.data[at],
      data[at + 1] - original.data[at + 1],
      data[at + 2] - original.data[at + 2],
    );
  const correct = (x: number, y: number) => {
    const at = (y * width + x) * 3;
    const inner = (inside(y, height) * width + inside(x, width)) * 3;
    const excess = lumaError(at) - lumaError(inner);
    for (let c = 0; c < 3; c++) {
      const corrected = original.data[at + c] + data[inner + c] - original.data[inner + c] + excess;
      data[at + c] = Math.max(0, Math.min(255, Math.round(corrected)));
    }
  };
  for (let x = 0; x < width; x++) {
    correct(x, 0);
    correct(x, height - 1);
  }
  for (let y = 1; y < height - 1; y++) {
    correct(0, y);
    correct(width - 1, y);
  }
}

function inside(position: number, length: number): number {
  return length < 3 ? position : Math.max(1, Math.min(length - 2, position));
}
