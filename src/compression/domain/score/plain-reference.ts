/**
 * Computes the terms of the score in plain TypeScript: the reference implementation, used for images with a short side. For all
 * others fast-reference.ts computes the same numbers; tests compare the two.
 */
import { sameSize, type Dimensions } from '../dimensions';
import { crop, type Pixels, type Plane } from '../pixels';
import { addedEdges } from './added-edges';
import type { Comparison, PreparedReference } from './comparison';
import { luminancePlane, meanLight, smallPlanes, type SmallPlanes } from './perceptual-planes';
import { pooledLoss } from './window-ssim';

interface Prepared {
  readonly luminance: Plane;
  readonly small: SmallPlanes;
}

export class PlainReference implements PreparedReference {
  private readonly tiles: readonly Prepared[];

  /** @param pixels RGB or RGBA; alpha is ignored */
  constructor(
    pixels: Pixels,
    private readonly tile: Dimensions = pixels,
  ) {
    this.tiles = tilesOf(pixels, tile).map(prepared);
  }

  compare<T>(candidate: Pixels, look: (comparison: Comparison) => T): T[] {
    return tilesOf(candidate, this.tile).map((part, i) => look(comparisonOf(this.tiles[i], prepared(part))));
  }
}

function tilesOf(pixels: Pixels, tile: Dimensions): Pixels[] {
  if (sameSize(pixels, tile)) return [pixels];
  const tiles: Pixels[] = [];
  for (let top = 0; top < pixels.height; top += tile.height) {
    for (let left = 0; left < pixels.width; left += tile.width) tiles.push(crop(pixels, { left, top }, tile));
  }
  return tiles;
}

function prepared(pixels: Pixels): Prepared {
  return { luminance: luminancePlane(pixels), small: smallPlanes(meanLight(pixels)) };
}

function comparisonOf(a: Prepared, b: Prepared): Comparison {
  return {
    fineStructure: () => pooledLoss(a.luminance, b.luminance, 4),
    structure: (plane, power) => pooledLoss(a.small[plane], b.small[plane], power),
    addedEdges: (plane, power) => addedEdges(a.small[plane], b.small[plane], power),
    planes: (plane) => [a.small[plane], b.small[plane]],
  };
}
