import { AsyncResource } from 'node:async_hooks';
import { Inject, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Problem } from '../../contract/problem';
import { traceRequest, traceStages } from '../../observability/telemetry';
import { CompressionRunner } from '../application/running/compression-runner.port';
import { deliveriesOf } from '../application/sets/deliveries';
import { SetInProgress, type VariantOutcome } from '../application/sets/run-set';
import { COMPRESSION_SETTINGS, type CompressionSettings } from '../compression.settings';
import { planSet } from '../domain/sets/set-plan';
import { readSource } from '../formats/image-header';
import { CompressionMetrics } from './compression-metrics';
import { sharerOf, type Upload } from './image-upload.interceptor';
import type { AskedSet } from './requested-set.guard';
import type { SetEntry } from './set-archive';
import { abortedWhenClosed, refuseLargeResult, UploadCompression } from './upload-compression';

/** The name of the description in the archive. */
const DESCRIPTION = 'set.json';

/** Makes the set of an uploaded image for an account. */
@Injectable()
export class SetCompression {
  constructor(
    @Inject(COMPRESSION_SETTINGS) private readonly settings: CompressionSettings,
    private readonly runner: CompressionRunner,
    private readonly compression: UploadCompression,
    private readonly metrics: CompressionMetrics,
  ) {}

  /**
   * Returns the files as they are finished, the description last, when the first file is finished.
   * @throws ImageRefused, CompressionUnavailable, or the first Problem if there is no file at all
   */
  async run(upload: Upload, asked: AskedSet, req: Request, res: Response): Promise<AsyncIterable<SetEntry>> {
    const { image, memory } = upload;
    const { pool, maxUploadBytes, resultFormats } = this.settings;
    const { options, policy } = asked;
    const plan = planSet(readSource(image, policy.maxPixels), options, policy, resultFormats);
    const set = new SetInProgress(plan);
    const closed = abortedWhenClosed(res);
    const { items } = deliveriesOf(async (deliver: (entry: SetEntry) => void, stopped) => {
      const run = {
        account: sharerOf(req),
        deadlineAt: performance.now() + pool.deadlineMs,
        deadlineMs: pool.deadlineMs,
        signal: AbortSignal.any([closed, stopped]),
        onStarted: () => (req.context.hasUsedWorker = true),
        onResultSize: (bytes: number) => {
          refuseLargeResult(bytes, maxUploadBytes);
          memory.anotherResultWillTake(bytes);
        },
      };
      let first: Problem | undefined;
      // Files come in the context of the worker's pipe; their spans belong to the request.
      const take = AsyncResource.bind((outcome: VariantOutcome) => {
        if (outcome.result instanceof Problem) first ??= outcome.result;
        else deliver(this.entryOf(outcome, upload, req));
      });
      await set.run(this.runner, image, run, take);
      const description = set.describe();
      if (first && description.files.length === 0) throw first;
      const { files, failed } = description;
      const compressedSize = files.reduce((sum, { bytes }) => sum + bytes, 0);
      const { length: originalSize } = image;
      traceRequest({
        'image.files': files.length,
        'image.size': originalSize,
        'image.compressed_size': compressedSize,
      });
      Object.assign(req.context.logged, {
        files: files.length,
        failed: failed.length,
        originalSize,
        compressedSize,
      });
      deliver({
        name: DESCRIPTION,
        mediaType: 'application/json',
        bytes: Buffer.from(`${JSON.stringify(description, undefined, 2)}\n`),
        onSent: () => undefined,
      });
    });
    const reader = items.getReader();
    return remaining(reader, await reader.read());
  }

  private entryOf({ variant, result }: VariantOutcome, { memory }: Upload, req: Request): SetEntry {
    if (result instanceof Problem) throw result;
    const { bytes, report } = result;
    const { format, dimensions } = report;
    const timings = { queue: result.queueMs, ...report.timings };
    this.metrics.image(result);
    traceStages(timings, { 'image.format': format, 'image.width': dimensions.width });
    const { logged } = req.context;
    logged['timings'] = sumOf(logged['timings'] as Timings | undefined, timings);
    this.compression.charge(req, result);
    return {
      name: variant.name,
      mediaType: this.settings.resultFormats.of(format).mediaType,
      bytes,
      onSent: () => report.skipReason ?? memory.resultWasSent(bytes.length),
    };
  }
}

type Timings = Readonly<Record<string, number>>;

function sumOf(earlier: Timings = {}, timings: Timings): Timings {
  return Object.fromEntries(
    Object.entries(timings).map(([stage, ms]) => [stage, ms + (earlier[stage] ?? 0)]),
  );
}

/** Yields what was read first, then the rest; stops the work when the client disconnects. */
async function* remaining<Item>(
  reader: ReadableStreamDefaultReader<Item>,
  first: Awaited<ReturnType<typeof reader.read>>,
): AsyncGenerator<Item> {
  try {
    for (let next = first; !next.done; next = await reader.read()) yield next.value;
  } finally {
    await reader.cancel();
  }
}
