/** The messages between the service and a worker. A worker decodes hostile files and may be taken over, so every reply is checked. */
import { z } from 'zod';
import { isReport, type Report } from '../../../contract/report';
import { sourceFormat } from '../../../contract/formats';
import { mayHaveFormat } from '../../domain/compression-policy';
import type { ComparedReport, ComparisonReport } from '../../domain/compression-report';
import { PackageFailed } from '../../packages/codec-package';
import { ImageRefused, REFUSAL_REASONS } from '../../../contract/image-problems';
import type { CompareTask, CompressTask, MeasureTask, ResultOf, Task } from '../../application/running/task';

interface ImageRequest {
  /** Bytes of the upload; the rest of the body is the image to compare with it. */
  readonly uploadBytes: number;
  /** In this time, further trials may end; absent without a deadline. */
  readonly trialMs?: number;
}

/** A task without its images, which are the body: empty if the upload was measured just before. The worker sends one reply. */
export type WorkerRequest =
  | Pick<MeasureTask, 'kind'>
  | (Pick<CompressTask, 'kind' | 'policy'> & ImageRequest)
  | (Pick<CompareTask, 'kind' | 'policy' | 'wantsMap'> & ImageRequest);

export const MAX_FAULT = 1000;

const number = z.number();
const comparison = z.object({
  ssimulacra2: number.exactOptional(),
  worst: z.object({ x: number, y: number, width: number, height: number }).exactOptional(),
} satisfies Record<keyof ComparisonReport, z.ZodType>);
const compressed = z
  .looseObject({})
  .refine(isReport)
  .transform((value) => value as unknown as Report);
const compared = z
  .looseObject({ comparison, maxError: number })
  .refine(isReport)
  .transform((value) => value as unknown as ComparedReport);
const reply = z.discriminatedUnion('kind', [
  /** The code of a package runs from now on; it may end the process, or never finish. */
  z.object({ kind: z.literal('loading'), path: z.string() }),
  z.object({ kind: z.literal('ready'), notices: z.array(z.string()).readonly().default([]) }),
  z.object({ kind: z.literal('unusable'), reason: z.string() }),
  /** The body is the new image; empty if the report has a skip reason. */
  z.object({ kind: z.literal('compress'), report: compressed }),
  /** The body is the map of the differences, or empty. */
  z.object({ kind: z.literal('compare'), report: compared }),
  z.object({ kind: z.literal('measure'), width: z.int().min(1), height: z.int().min(1) }),
  /** Here and below, `fault` is a sentence about a package. */
  z.object({
    kind: z.literal('refused'),
    reason: z.enum(REFUSAL_REASONS),
    message: z.string(),
    numbers: z.object({ limit: number.exactOptional(), actual: number.exactOptional() }),
    fault: z.string().max(MAX_FAULT).exactOptional(),
  }),
  /** The stack trace is logged and never sent to the client. */
  z.object({ kind: z.literal('failed'), stack: z.string(), fault: z.string().max(MAX_FAULT).optional() }),
]);

export type WorkerReply = z.infer<typeof reply>;

/** @throws Error when it is not a known message */
export function asWorkerReply(header: unknown): WorkerReply {
  const parsed = reply.safeParse(header);
  if (!parsed.success) throw new Error('an unknown message');
  return parsed.data;
}

export type ResultReply = Extract<WorkerReply, { kind: Task['kind'] | 'refused' | 'failed' }>;

/** Share of the time left for trials: packing and verifying the best one takes the rest. */
const TRIAL_SHARE = 2 / 3;

/** @param deadlineAt on the same clock as `now`, in milliseconds */
export function createRequest(task: Task, deadlineAt: number, now: number): [WorkerRequest, ...Uint8Array[]] {
  const { kind, image } = task;
  if (kind === 'measure') return [{ kind }, image];
  const { policy } = task;
  const uploadBytes = image.length;
  if (kind === 'compare')
    return [{ kind, policy, uploadBytes, wantsMap: task.wantsMap }, image, task.compared];
  const leftMs = deadlineAt - now;
  const trialMs = Number.isFinite(leftMs) ? { trialMs: leftMs * TRIAL_SHARE } : {};
  return [{ kind, policy, uploadBytes, ...trialMs }, image];
}

/** @throws Error when it is not the result of this task: usage is counted by it */
export function readResult(reply: ResultReply, body: Uint8Array, task: Task): ResultOf<Task> | Error {
  switch (reply.kind) {
    case 'refused':
      return new ImageRefused(reply.reason, reply.message, reply.numbers, reply.fault);
    case 'failed':
      return reply.fault === undefined
        ? new WorkerFailed(reply.stack)
        : Object.assign(new PackageFailed(reply.fault), { stack: `${reply.fault}: ${reply.stack}` });
    case 'measure':
      if (task.kind !== 'measure') break;
      return { width: reply.width, height: reply.height };
    case 'compare':
    case 'compress': {
      if (task.kind !== reply.kind) break;
      const { report } = reply;
      const added = task.kind === 'compress' ? task.added : undefined;
      const bytes = report.skipReason ? task.image : body;
      const [before, after] = [task.image, task.kind === 'compare' ? task.compared : bytes].map(
        ({ length }) => length,
      );
      const sizes = [report.originalSize, report.compressedSize, report.bytesSaved];
      if (sizes.join() !== [before, after, Math.max(0, before - after)].join())
        throw new Error('sizes of another image');
      if (!mayHaveFormat(report.format, sourceFormat(task.image) ?? added, task.policy))
        throw new Error('a format that is not accepted');
      return { bytes, report };
    }
  }
  throw new Error('the result of another task');
}

class WorkerFailed extends Error {
  constructor(override readonly stack: string) {
    super('A worker failed');
  }
}
