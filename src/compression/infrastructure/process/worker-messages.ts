/** The messages between the service and a worker. A worker decodes hostile files and may be taken over, so every reply is checked. */
import { z } from 'zod';
import { isReport } from '../../../contract/report';
import { formatBySignature } from '../../../contract/formats';
import { mayHaveFormat, type CompressionPolicy } from '../../domain/compression-policy';
import type { Dimensions } from '../../domain/dimensions';
import type { ComparisonReport, CompressedImage, CompressionReport } from '../../domain/compression-report';
import { PackageFailed } from '../../packages/codec-package';
import { ImageRefused, REFUSAL_REASONS } from '../../../contract/image-problems';
import type { RunOptions } from '../../application/running/compression-runner.port';

/** The body is the upload, followed by the image to compare with it, if any. The worker sends one reply. */
export interface WorkerRequest {
  readonly policy: CompressionPolicy;
  readonly comparison?: { readonly originalBytes: number; readonly wantsMap: boolean };
  /** After this time, no further trial begins; absent without a deadline, and with the effort `max`. */
  readonly trialMs?: number;
  readonly measures?: boolean | undefined;
}

export const MAX_FAULT = 1000;

const number = z.number();
const comparison = z
  .object({
    ssimulacra2: number.exactOptional(),
    worst: z.object({ x: number, y: number, width: number, height: number }).exactOptional(),
  } satisfies Record<keyof ComparisonReport, z.ZodType>)
  .optional();
const report = z
  .looseObject({ comparison })
  .refine(isReport)
  .transform((value) => value as unknown as CompressionReport);
const reply = z.discriminatedUnion('kind', [
  /** The code of a package runs from now on; it may end the process, or never finish. */
  z.object({ kind: z.literal('loading'), path: z.string() }),
  z.object({ kind: z.literal('ready'), notices: z.array(z.string()).readonly().default([]) }),
  z.object({ kind: z.literal('unusable'), reason: z.string() }),
  /** The body is the new image, or the map of a comparison; empty if the report has a skip reason. */
  z.object({ kind: z.literal('done'), report }),
  z.object({ kind: z.literal('measured'), width: z.int().min(1), height: z.int().min(1) }),
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

export type ResultReply = Extract<WorkerReply, { kind: 'done' | 'measured' | 'refused' | 'failed' }>;

type Asked = Pick<RunOptions, 'policy' | 'compared' | 'measures' | 'added'>;
export type WorkerResult = CompressedImage | { readonly measured: Dimensions };

/** Share of the time left for trials: packing and verifying the best one takes the rest. */
const TRIAL_SHARE = 2 / 3;

export function createRequest(
  image: Uint8Array,
  { policy, compared, measures, deadlineAt }: Asked & Pick<RunOptions, 'deadlineAt'>,
  now: number,
): [WorkerRequest, ...Uint8Array[]] {
  const leftMs = deadlineAt - now;
  const trialMs = Number.isFinite(leftMs) && policy.effort !== 'max' ? { trialMs: leftMs * TRIAL_SHARE } : {};
  if (!compared) return [{ policy, measures, ...trialMs }, image];
  const comparison = { originalBytes: image.length, wantsMap: compared.wantsMap };
  return [{ policy, comparison }, image, compared.image];
}

/** @throws Error when the report is not one of this image and this result: usage is counted by it */
export function readResult(
  reply: ResultReply,
  body: Uint8Array,
  image: Uint8Array,
  { policy, compared, measures = false, added }: Asked,
): WorkerResult | Error {
  switch (reply.kind) {
    case 'measured':
      if (!measures) throw new Error('dimensions that nobody asked for');
      return { measured: { width: reply.width, height: reply.height } };
    case 'done': {
      if (measures) throw new Error('an image instead of dimensions');
      const { report } = reply;
      const bytes = report.skipReason ? image : body;
      const [before, after] = [image.length, (compared?.image ?? bytes).length];
      const sizes = [report.originalSize, report.compressedSize, report.bytesSaved];
      if (sizes.join() !== [before, after, Math.max(0, before - after)].join())
        throw new Error('sizes of another image');
      if (!mayHaveFormat(report.format, formatBySignature(image) ?? added, policy))
        throw new Error('a format that is not accepted');
      return { bytes, report };
    }
    case 'refused':
      return new ImageRefused(reply.reason, reply.message, reply.numbers, reply.fault);
    case 'failed':
      return reply.fault === undefined
        ? new WorkerFailed(reply.stack)
        : Object.assign(new PackageFailed(reply.fault), { stack: `${reply.fault}: ${reply.stack}` });
  }
}

class WorkerFailed extends Error {
  constructor(override readonly stack: string) {
    super('A worker failed');
  }
}
