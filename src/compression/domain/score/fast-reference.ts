/**
 * Computes the terms of the score in WebAssembly with SIMD (source: assembly/fine-structure.ts), for images and tiles of at least
 * 64 × 64 px. It reads an image once, in strips of four rows, and keeps only the luminance of the reference in memory.
 */
import type { Dimensions } from '../dimensions';
import { loadModule, type WasmModule } from '../load-module';
import type { Pixels, Plane } from '../pixels';
import { FINE_STRUCTURE_MODULE } from '../web-assembly';
import { SMALL_PLANES, type Comparison, type PreparedReference, type SmallPlane } from './comparison';
import { LINEAR_16, LUMINANCE_SHARES, RESPONSE } from './linear-light';

/** A window of 8 px at an eighth of the size. */
const MIN_SIDE_PX = 64;
const WINDOW = 8;
const BLOCK = 4;
/** Size of a batch of samples; fits into the L2 cache. */
const BATCH_BYTES = 2 ** 17;
/** Strips of four rows that the module takes in one call. */
interface Batch {
  readonly row: number;
  readonly strips: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** Whether these are the last two strips of an image whose height is not a multiple of 4. */
  readonly isEdge: boolean;
}

export class FastReference implements PreparedReference {
  private readonly tilesInRow: number;
  private readonly batches: readonly Batch[];
  /** The luminance of the reference, in the layout of the module. */
  private readonly fine: Uint8Array;
  /** The small planes of each row of tiles. */
  private readonly planes: readonly Uint8Array[];

  /** @param tile the whole image, or a height that is a multiple of 4 */
  constructor(
    pixels: Pixels,
    private readonly tile: Dimensions = pixels,
  ) {
    this.tilesInRow = pixels.width / tile.width;
    this.batches = planBatches(pixels, tile);
    const module = this.begin(pixels);
    const { buffer } = module.memory;
    const strips = this.batches.reduce((total, batch) => total + batch.strips, 0);
    this.fine = Buffer.allocUnsafeSlow(strips * this.tilesInRow * module.fineBytes());
    const planes: Uint8Array[] = [];
    let at = 0;
    for (const batch of this.batches) {
      this.handOver(module, pixels, batch);
      for (let tile = 0; tile < this.tilesInRow; tile++) {
        if (batch.isFirst) module.beginTile(tile);
        module.readReference(batch.strips, batch.isEdge);
      }
      const bytes = this.fineBytes(module, batch);
      this.fine.set(new Uint8Array(buffer, module.fineAt(), bytes), at);
      at += bytes;
      const planesBytes = this.tilesInRow * module.planesBytes();
      if (batch.isLast) planes.push(new Uint8Array(buffer, module.planesAt(), planesBytes).slice());
    }
    this.planes = planes;
  }

  /** Whether the module takes images or tiles of this size; plain-reference.ts takes the others. */
  static canRead({ width, height }: Dimensions): boolean {
    return width >= MIN_SIDE_PX && height >= MIN_SIDE_PX;
  }

  compare<T>(candidate: Pixels, look: (comparison: Comparison) => T): T[] {
    const module = this.begin(candidate);
    const memory = new Uint8Array(module.memory.buffer);
    const comparison = comparisonIn(module, this.tile);
    const seen: T[] = [];
    let at = 0;
    let row = 0;
    for (const batch of this.batches) {
      this.handOver(module, candidate, batch);
      const bytes = this.fineBytes(module, batch);
      memory.set(this.fine.subarray(at, at + bytes), module.fineAt());
      at += bytes;
      if (batch.isLast) memory.set(this.planes[row++], module.planesAt());
      for (let tile = 0; tile < this.tilesInRow; tile++) {
        if (batch.isFirst) module.beginTile(tile);
        module.compare(batch.strips, batch.isEdge);
        if (batch.isLast) seen.push(look(comparison));
      }
    }
    return seen;
  }

  private begin({ channels }: Pixels) {
    const module = scoreModule();
    const maxStrips = Math.max(...this.batches.map(({ strips }) => strips));
    module.begin(this.tile.width, this.tile.height, this.tilesInRow, maxStrips, channels);
    return module;
  }

  private handOver(module: ScoreModule, { width, channels, data }: Pixels, { row, strips }: Batch) {
    const start = row * width * channels;
    const samples = data.subarray(start, start + strips * BLOCK * width * channels);
    new Uint8Array(module.memory.buffer, module.samplesAt(), samples.length).set(samples);
  }

  private fineBytes(module: ScoreModule, { strips }: Batch) {
    return strips * this.tilesInRow * module.fineBytes();
  }
}

/** Splits a single image into several batches; a row of tiles is one batch. */
function planBatches({ width, height, channels }: Pixels, tile: Dimensions) {
  const strips = Math.floor(tile.height / BLOCK);
  const wanted = Math.floor(BATCH_BYTES / (BLOCK * width * channels));
  const stripsPerBatch = tile.width === width ? Math.max(2, Math.min(strips, wanted)) : strips;
  const isRagged = tile.height % BLOCK !== 0;
  const batches: Batch[] = [];
  for (let top = 0; top < height; top += tile.height) {
    for (let strip = 0; strip < strips; strip += stripsPerBatch) {
      const isLast = strip + stripsPerBatch >= strips && !isRagged;
      const count = Math.min(stripsPerBatch, strips - strip);
      batches.push({ row: top + strip * BLOCK, strips: count, isFirst: strip === 0, isLast, isEdge: false });
    }
    if (isRagged) {
      const row = top + tile.height - WINDOW;
      batches.push({ row, strips: 2, isFirst: false, isLast: true, isEdge: true });
    }
  }
  return batches;
}

function planeIn(module: ScoreModule, tile: Dimensions, name: SmallPlane, ofCandidate: boolean): Plane {
  const shrink = name.startsWith('quarter') ? 4 : 8;
  const [width, height] = [Math.floor(tile.width / shrink), Math.floor(tile.height / shrink)];
  const at = module.planeAt(SMALL_PLANES.indexOf(name), ofCandidate);
  return { width, height, data: new Float32Array(module.memory.buffer, at, width * height) };
}

function comparisonIn(module: ScoreModule, tile: Dimensions): Comparison {
  return {
    fineStructure: () => module.fineLoss(),
    structure: (plane, power) => module.structureLoss(SMALL_PLANES.indexOf(plane), power),
    addedEdges: (plane, power) => module.edgeLoss(SMALL_PLANES.indexOf(plane), power),
    planes: (plane) => [planeIn(module, tile, plane, false), planeIn(module, tile, plane, true)],
  };
}

/** The exports of the module, explained in assembly/fine-structure.ts. */
interface ScoreModule extends WasmModule<
  'lightTable' | 'responseTable' | 'samplesAt' | 'fineAt' | 'planesAt'
> {
  begin(width: number, height: number, tiles: number, strips: number, bytesOfPixel: number): void;
  fineBytes(): number;
  planesBytes(): number;
  beginTile(index: number): void;
  readReference(strips: number, isEdge: boolean): void;
  compare(strips: number, isEdge: boolean): void;
  fineLoss(): number;
  structureLoss(plane: number, power: number): number;
  edgeLoss(plane: number, power: number): number;
  planeAt(plane: number, ofCandidate: boolean): number;
}

/** Subtracted from responses: values around 0 lose less precision when they are squared as floats. */
const HALF_WHITE = RESPONSE[RESPONSE.length - 1] / 2;

/** Returns the instance of this process. It holds one image at a time. */
const scoreModule = loadModule<ScoreModule>(FINE_STRUCTURE_MODULE, (module) => {
  const { buffer } = module.memory;
  const table = new Uint32Array(buffer, module.lightTable(), LUMINANCE_SHARES.length * LINEAR_16.length * 2);
  LUMINANCE_SHARES.forEach((share, channel) => {
    const rounding = channel === 0 ? 2 ** 15 : 0;
    LINEAR_16.forEach((light, sample) => {
      table.set([light, light * share + rounding], (channel * LINEAR_16.length + sample) * 2);
    });
  });
  const responses = RESPONSE.map((value) => value - HALF_WHITE);
  new Float32Array(buffer, module.responseTable(), responses.length).set(responses);
});
