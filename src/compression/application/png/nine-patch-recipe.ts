/**
 * Android's nine-patches: the frame, or the chunks that Android's build makes from it, define where they stretch. So they stay PNGs of
 * the same size, and every pixel of the frame stays exact. Those above the maximum size of the deployment are scaled like other images.
 */
import { ninePatchOverLimit, ninePatchStays, ninePatchWouldScale } from '../../../contract/image-problems';
import { fitWithin, sameSize } from '../../domain/dimensions';
import { hasSameFrame, isNinePatch, type Marks } from '../../domain/nine-patch';
import type { PngSource } from '../../formats/image-header';
import { readMarks } from '../../formats/png/png-marks';
import { mayBeTransparent, readPngStructure } from '../../formats/png/png-structure';
import type { Outcome } from '../outcome';
import { mayStay, type Work } from '../work';
import type { FixedImage } from '../uploads/upload';
import { compressPng } from './png-recipe';

type Compress = (work: Work<PngSource>) => Promise<Outcome>;

/**
 * Returns undefined if the upload is not a nine-patch, or has to be scaled whatever the client asks for.
 * @param compress the recipe of PNGs
 */
export async function findNinePatch(
  { source, policy }: Work<PngSource>,
  compress: Compress = compressPng,
): Promise<FixedImage<PngSource> | undefined> {
  const { structure, dimensions } = source;
  const { maxDimensionPx, usualMaxDimensionPx = maxDimensionPx } = policy;
  const usual = fitWithin(dimensions, { maxDimensionPx: usualMaxDimensionPx });
  if (!sameSize(usual, dimensions)) return undefined;
  // In the form that Android's build has compiled, the frame is in chunks.
  if (structure.chunks.some(({ type }) => type === 'npTc')) return ninePatch(compress);
  const marks = mayBeTransparent(structure) ? await readMarks(structure) : undefined;
  return marks && isNinePatch(marks) ? ninePatch((work) => withExactFrame(marks, work, compress)) : undefined;
}

function ninePatch(compress: Compress): FixedImage<PngSource> {
  return {
    overLimit: ninePatchOverLimit,
    compress(work) {
      refuseChanges(work);
      return compress(work);
    },
  };
}

/** @throws ImageRefused `cannot_convert` if the client asks for another format or size, or for a background */
function refuseChanges(work: Work): void {
  const { dimensions } = work.source;
  if (!mayStay(work)) throw ninePatchStays('another format cannot hold its frame');
  if (work.policy.background) throw ninePatchStays('a background would fill its frame');
  if (!sameSize(fitWithin(dimensions, work.policy), dimensions)) throw ninePatchWouldScale();
}

/** Compresses without loss if the usual result would change the frame. */
async function withExactFrame(marks: Marks, work: Work<PngSource>, compress: Compress): Promise<Outcome> {
  const usual = await compress(work);
  const written = await readMarks(readPngStructure(usual.bytes));
  if (written && hasSameFrame(marks, written)) return usual;
  return compress({ ...work, policy: { ...work.policy, pngMode: 'lossless' } });
}
