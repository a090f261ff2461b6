/** Compresses an image of any supported format. Runs inside a worker. */
import type { TargetFormat } from '../../contract/formats';
import { budgetUnreachable } from '../../contract/image-problems';
import type { RemovedCompanion } from '../../contract/report-words';
import type { CompressionPolicy } from '../domain/compression-policy';
import type { CompressedImage, CompressionReport } from '../domain/compression-report';
import { readSource, type Source } from '../formats/image-header';
import { editorLayers } from '../formats/png/editor-layers';
import { readChunks } from '../formats/png/png-chunks';
import { fitIntoBudget } from './budget/fit-into-budget';
import type { CodecEngine } from './codecs.port';
import { jpegEstimate } from './jpeg/jpeg-estimate';
import { compressJpeg } from './jpeg/jpeg-recipe';
import { storedQuality } from './jpeg/jpeg-rewrite';
import type { Outcome } from './outcome';
import { compressNinePatch, findNinePatch } from './png/nine-patch-recipe';
import { compressPng } from './png/png-recipe';
import { fitUnscaled } from './png/unscaled-budget';
import { Stopwatch } from './stopwatch';
import { compressToSmallest } from './targets/choose-format';
import type { Work } from './work';

/**
 * Compresses one image.
 * @throws ImageRefused when the file cannot be accepted (wrong format, damaged, too many pixels), or cannot fit into the
 * policy's budget.
 * @param clock measures the stages, in milliseconds
 */
export async function compressImage(
  bytes: Uint8Array,
  engine: CodecEngine,
  policy: CompressionPolicy,
  clock = () => performance.now(),
): Promise<CompressedImage> {
  const source = readSource(bytes, policy.maxPixels);
  const work: Work = { source, engine, policy, stopwatch: new Stopwatch(clock) };
  return reported(work, await outcomeOf(work));
}

async function outcomeOf(work: Work): Promise<Outcome> {
  const { source, policy } = work;
  const { budget } = policy;
  const ninePatch = await findNinePatch(work);
  if (ninePatch) return compressNinePatch(ninePatch, work, compressOwn);
  if (!budget) return compress(work);
  const isAnimated = source.format === 'png' && source.structure.isAnimated;
  return isAnimated
    ? fitUnscaled(work, budget, compress, budgetUnreachable)
    : fitIntoBudget(work, budget, compress);
}

/** Compresses in the smallest of the formats that the policy accepts. */
function compress(work: Work): Promise<Outcome> {
  return work.policy.formats ? compressToSmallest(work, compressOwn) : compressOwn(work);
}

/** Compresses in the format of the upload. */
function compressOwn({ source, ...work }: Work): Promise<Outcome> {
  switch (source.format) {
    case 'jpeg':
      return compressJpeg({ source, ...work });
    case 'png':
      return compressPng({ source, ...work });
  }
}

async function reported(work: Work, outcome: Outcome): Promise<CompressedImage> {
  const { source, stopwatch } = work;
  const { bytes, ...facts } = asResult(work, outcome);
  const removed = [...(facts.removed ?? []), ...lostLayers(source, bytes, facts.format)];
  const isStillPng =
    facts.format === 'png' &&
    source.format === 'png' &&
    source.structure.isSrgbLike &&
    !source.structure.isAnimated;
  const asJpeg = isStillPng && (await jpegEstimate(work, bytes, facts.dimensions));
  const report: CompressionReport = {
    originalSize: source.bytes.length,
    originalDimensions: source.dimensions,
    compressedSize: bytes.length,
    bytesSaved: Math.max(0, source.bytes.length - bytes.length),
    ...facts,
    ...(removed.length > 0 ? { removed } : {}),
    ...(asJpeg ? { jpegEstimate: asJpeg } : {}),
    timings: stopwatch.timings(),
    encodes: stopwatch.encodes,
  };
  return { bytes, report };
}

/** Returns what to report of an upload in which an editor has stored more than the result has. */
function lostLayers(source: Source, result: Uint8Array, format: TargetFormat): RemovedCompanion[] {
  const stored = source.format === 'png' ? editorLayers(source.structure.chunks).length : 0;
  if (stored === 0) return [];
  const left = format === 'png' ? editorLayers(readChunks(result)).length : 0;
  return left < stored ? ['editor-layers'] : [];
}

/** Returns the bytes to deliver and their part of the report. The upload itself has no quality; a copy has that of its coding. */
function asResult({ source, engine }: Work, outcome: Outcome) {
  const { format, dimensions } = source;
  if (!('skipReason' in outcome)) return { format, ...outcome };
  const { skipReason, ...kept } = outcome;
  const isUpload = outcome.bytes === source.bytes;
  return {
    format,
    score: 1,
    dimensions,
    ...(source.format === 'png' ? { maxError: 0 } : {}),
    ...(source.format === 'jpeg' && !isUpload
      ? { quality: storedQuality(source.structure, engine.jpeg) }
      : {}),
    ...(isUpload ? { skipReason } : {}),
    ...kept,
  };
}
