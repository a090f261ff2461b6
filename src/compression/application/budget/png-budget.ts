/**
 * Fits a PNG into a budget: the best palette whose file fits, down to few colours. At smaller dimensions the usual
 * recipe is tried first if its result may fit.
 *
 * Images that must stay lossless (16 bits, colours far from sRGB, PNG_MODE=lossless, our own near-lossless results)
 * only become smaller in dimensions.
 */
import { highestThatFits } from '../../domain/budget/fit-search';
import { fitWithin, sameSize, type Dimensions } from '../../domain/dimensions';
import type { ImageHeader } from '../../formats/image-header';
import { keptChunks, withChunks, withColourChunks } from '../../formats/png/png-metadata';
import { pngChunk } from '../../formats/png/png-chunks';
import { LOSSY_CHUNK } from '../../formats/png/png-rows';
import { readPngStructure } from '../../formats/png/png-structure';
import type { Outcome } from '../outcome';
import { compressPng, uprightPng } from '../png-recipe';
import { PaletteLadder } from './palette-ladder';
import type { Attempt, BudgetWork, SizedRecipe } from './sized-recipe';

/**
 * At smaller dimensions the usual recipe is tried if its result seems to exceed the budget by no more than this factor.
 */
const HOPEFUL = 1.1;

/** If the coarsest palette seems to exceed the budget by more than this factor, no full palette is made. */
const HOPELESS_SIZE = 1.2;
/** Full encodes at one size; each takes 1 s of CPU time per megapixel. */
const MAX_ENCODES = 2;

type PngBudgetWork = BudgetWork<ImageHeader & { format: 'png' }>;

/** @param usualBytes size of the usual result at the usual dimensions */
export function pngIntoBudget(work: PngBudgetWork, usualBytes: number): SizedRecipe {
  const { bytes, header, engine, policy, stopwatch } = work;
  const { maxBytes } = work.budget;
  const usualSize = fitWithin(header.dimensions, policy);
  const usually = (maxDimensionPx: number) =>
    compressPng(
      { bytes, ...header },
      engine.png,
      { ...policy, maxDimensionPx, minSavingsRatio: 0 },
      stopwatch,
    );

  /** Actual ÷ predicted bytes, once known. */
  let ratio = 1;

  async function fitAt(maxDimensionPx: number): Promise<Attempt> {
    const size = fitWithin(header.dimensions, { ...policy, maxDimensionPx });
    const usualHere = usualBytes * (areaOf(size) / areaOf(usualSize));
    if (!sameSize(size, usualSize) && usualHere <= maxBytes * HOPEFUL) {
      const usual = await usually(maxDimensionPx);
      if (!('skipReason' in usual) && usual.bytes.length <= maxBytes)
        return { fitting: usual, minBytes: usual.bytes.length };
    }
    const ladder = await palettesAt(work, size);
    const lowest = await ladder?.lowestAcceptable();
    if (!ladder || lowest === undefined) return { minBytes: usualHere };
    const bytesAt = async (step: number) => ratio * (await ladder.predictedBytes(step));
    const least = Math.min(usualHere, await bytesAt(lowest));
    if (least > maxBytes * HOPELESS_SIZE) return { minBytes: least };
    const { fitting, minBytes } = await highestThatFits({
      range: { lowest, highest: ladder.highest },
      maxBytes,
      predict: bytesAt,
      encode: async (step) => {
        const candidate = await ladder.encode(step);
        ratio = candidate.bytes.length / (await ladder.predictedBytes(step));
        return candidate;
      },
      passes: ({ score }) => score >= work.floor,
      maxEncodes: MAX_ENCODES,
    });
    return { ...(fitting ? { fitting } : {}), minBytes: Math.max(maxBytes, Math.min(minBytes, least)) };
  }

  async function smallestAt(maxDimensionPx: number): Promise<Outcome> {
    const usual = await usually(maxDimensionPx);
    const ladder = await palettesAt(work, fitWithin(header.dimensions, { ...policy, maxDimensionPx }));
    const coarsest = await ladder?.coarsestAcceptable();
    const usualSize = 'skipReason' in usual ? bytes.length : usual.bytes.length;
    return coarsest && coarsest.bytes.length < usualSize ? coarsest : usual;
  }

  return { fitAt, smallestAt };
}

/** Returns undefined if the image may not become a palette image, or the engine has no quantiser. */
async function palettesAt(work: PngBudgetWork, size: Dimensions): Promise<PaletteLadder | undefined> {
  const { bytes, header, engine, policy, floor, stopwatch } = work;
  const { structure, dimensions } = header;
  const isScaled = !sameSize(size, dimensions);
  const wasLossy = structure.chunks.some(({ type }) => type === LOSSY_CHUNK);
  if (policy.pngMode === 'lossless' || !structure.isSrgbLike || (wasLossy && !isScaled)) return undefined;
  const plain = await stopwatch.time('decode', () =>
    uprightPng({ bytes, ...header }, engine.png, isScaled ? size : undefined),
  );
  if (readPngStructure(plain).bitDepth > 8) return undefined;
  const pixels = await stopwatch.time('decode', () => engine.png.decode(plain));
  const kept = keptChunks(structure, { keep: policy.keepMetadata, dimensions: size });
  const chunks = [...kept, pngChunk(LOSSY_CHUNK, new Uint8Array())];
  const complete = (png: Uint8Array) => withChunks(withColourChunks(png, structure.colourChunks), chunks);
  return new PaletteLadder({ pixels, complete }, engine.png, floor, stopwatch);
}

function areaOf({ width, height }: Dimensions): number {
  return width * height;
}
