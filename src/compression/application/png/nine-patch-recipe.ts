/**
 * Android's nine-patches: their frame, or what Android's build has made of it, says where they stretch. So they stay PNGs of
 * their size, and every pixel of the frame stays exact. Those that exceed the maximum size of the deployment are scaled like any
 * other image.
 */
import { ninePatchOverBudget, ninePatchStays, ninePatchWouldScale } from '../../../contract/image-problems';
import { fitWithin, sameSize } from '../../domain/dimensions';
import { hasSameFrame, isNinePatch, type Marks } from '../../domain/nine-patch';
import { readMarks } from '../../formats/png/png-marks';
import { isCompiledNinePatch } from '../../formats/png/png-metadata';
import { mayBeTransparent, readPngStructure } from '../../formats/png/png-structure';
import type { Outcome } from '../outcome';
import { mayStay } from '../targets/accepted-formats';
import type { Work } from '../work';
import { fitUnscaled } from './unscaled-budget';

export interface NinePatch {
  /** Absent in its compiled form, whose frame is in chunks. */
  readonly marks?: Marks;
}

type Compress = (work: Work) => Promise<Outcome>;

/** Returns undefined if the upload is no nine-patch, or has to be scaled whatever the client asks for. */
export async function findNinePatch({ source, policy }: Work): Promise<NinePatch | undefined> {
  if (source.format !== 'png' || source.structure.isAnimated) return undefined;
  const { structure, dimensions } = source;
  const { maxDimensionPx, usualMaxDimensionPx = maxDimensionPx } = policy;
  const usual = fitWithin(dimensions, { maxDimensionPx: usualMaxDimensionPx });
  if (!sameSize(usual, dimensions)) return undefined;
  if (isCompiledNinePatch(structure)) return {};
  const marks = mayBeTransparent(structure) ? await readMarks(structure) : undefined;
  return marks && isNinePatch(marks) ? { marks } : undefined;
}

/**
 * @param compress the recipe of PNGs, whatever formats are accepted
 * @throws ImageRefused `cannot_convert` if the client asks for another format or size, or for a background
 */
export async function compressNinePatch(
  { marks }: NinePatch,
  work: Work,
  compress: Compress,
): Promise<Outcome> {
  const { dimensions } = work.source;
  const { budget, background, ...policy } = work.policy;
  if (!mayStay(work)) throw ninePatchStays('another format cannot hold its frame');
  if (background) throw ninePatchStays('a background would fill its frame');
  if (!sameSize(fitWithin(dimensions, policy), dimensions)) throw ninePatchWouldScale();
  const framed: Compress = marks ? (task) => withExactFrame(marks, task, compress) : compress;
  const unscaled = { ...work, policy };
  return budget ? fitUnscaled(unscaled, budget, framed, ninePatchOverBudget) : framed(unscaled);
}

/** Compresses without loss if the usual result changes the frame. */
async function withExactFrame(marks: Marks, work: Work, compress: Compress): Promise<Outcome> {
  const usual = await compress(work);
  const written = await readMarks(readPngStructure(usual.bytes));
  if (written && hasSameFrame(marks, written)) return usual;
  return compress({ ...work, policy: { ...work.policy, pngMode: 'lossless' } });
}
