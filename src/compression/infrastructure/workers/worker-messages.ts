/** The messages between the service and its workers. Image bytes are the body of the frame. */
import { z } from 'zod';
import type { CompressionPolicy } from '../../domain/compression-policy';
import type { CompressionReport } from '../../domain/compression-report';
import type { RefusalCode } from '../../domain/refusal';

export interface WorkerRequest {
  readonly policy: CompressionPolicy;
}

export type WorkerReply =
  /** The first message: the codecs are loaded. The notices are logged. */
  | { readonly kind: 'ready'; readonly notices: readonly string[] }
  /** The codecs cannot be loaded; the process exits. */
  | { readonly kind: 'unusable'; readonly reason: string }
  /** The worker has received the image. */
  | { readonly kind: 'begun' }
  /** The body is the new image; empty if the report has a skip reason. */
  | { readonly kind: 'done'; readonly report: CompressionReport }
  | {
      readonly kind: 'refused';
      readonly code: RefusalCode;
      readonly message: string;
      readonly numbers: { readonly limit?: number; readonly actual?: number };
    }
  /** A bug. The stack trace is logged and never sent to the client. */
  | { readonly kind: 'failed'; readonly stack: string };

const size = z.object({ width: z.number(), height: z.number() });
/** The members of a report that the service reads; others pass through. */
const report = z.looseObject({
  format: z.enum(['jpeg', 'png']),
  originalSize: z.number(),
  compressedSize: z.number(),
  bytesSaved: z.number(),
  skipReason: z.string().optional(),
  quality: z.number().optional(),
  score: z.number(),
  originalDimensions: size,
  dimensions: size,
  timings: z.record(z.string(), z.number()),
});
const reply = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), notices: z.array(z.string()).default([]) }),
  z.object({ kind: z.literal('begun') }),
  z.object({ kind: z.literal('unusable'), reason: z.string() }),
  z.object({ kind: z.literal('done'), report }),
  z.object({
    kind: z.literal('refused'),
    code: z.enum(['unsupported_media_type', 'undecodable_image', 'too_many_pixels', 'budget_unreachable']),
    message: z.string(),
    numbers: z.object({ limit: z.number().optional(), actual: z.number().optional() }),
  }),
  z.object({ kind: z.literal('failed'), stack: z.string() }),
]);

/** @throws Error when the value is not a report */
export function asReport(value: unknown): CompressionReport {
  return report.parse(value) as unknown as CompressionReport;
}

/**
 * Returns the header of a frame as a message of a worker.
 * @throws Error when it is not a known message
 */
export function asWorkerReply(header: unknown): WorkerReply {
  const parsed = reply.safeParse(header);
  if (!parsed.success) throw new Error('an unknown message');
  return parsed.data as WorkerReply;
}
