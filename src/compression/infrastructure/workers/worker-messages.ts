/** What the service and its workers say to each other; bytes travel as the body of the frame. */
import type { CompressionPolicy } from '../../domain/compression-policy';
import type { CompressionReport } from '../../domain/compression-report';
import type { RefusalCode } from '../../domain/refusal';

export interface WorkerRequest {
  readonly policy: CompressionPolicy;
  /** Milliseconds from now after which nobody waits for the answer; absent: there is no hurry. */
  readonly msLeft?: number;
}

export type WorkerReply =
  /** The codecs are loaded; sent once, first. */
  | { readonly kind: 'ready' }
  /** The image has arrived; work begins. */
  | { readonly kind: 'begun' }
  /** The body is the new image; it is empty when the report says that the upload is to be returned. */
  | { readonly kind: 'done'; readonly report: CompressionReport }
  | {
      readonly kind: 'refused';
      readonly code: RefusalCode;
      readonly message: string;
      readonly numbers: { readonly limit?: number; readonly actual?: number };
    }
  /** A bug; the stack goes to the log, never to the caller. */
  | { readonly kind: 'failed'; readonly stack: string };
