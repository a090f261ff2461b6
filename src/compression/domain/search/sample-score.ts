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

interface Tile {
  readonly pixels: Pixels;
  readonly reference: ScoreReference;
}

export class SampleReference {
  private readonly size: Dimensions;
  private readonly tile: Dimensions;
  private readonly tiles: readonly Tile[];

  constructor({ pixels, tile }: Sample) {
    this.size = { width: pixels.width, height: pixels.height };
    this.tile = tile;
    this.tiles = tilesOf(pixels, tile).map((part) => ({ pixels: part, reference: new ScoreReference(part) }));
  }

  /**
   * The score that the whole picture would have if it were everywhere as it is here, 0..1.
   * @throws RangeError when the sizes differ.
   */
  score(candidate: Pixels): number {
    if (!sameSize(candidate, this.size)) throw new RangeError('Only images of one size can be compared');
    const parts = tilesOf(candidate, this.tile);
    if (parts.length > 1) parts.forEach((part, i) => undoBleeding(part, this.tiles[i].pixels));
    const losses = this.tiles.map(({ reference }, i) => reference.losses(parts[i]));
    return scoreOf(
      TERMS.map(({ power }, term) => {
        const sum = losses.reduce((total, ofTile) => total + ofTile[term] ** power, 0);
        return (sum / losses.length) ** (1 / power);
      }),
    );
  }
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
