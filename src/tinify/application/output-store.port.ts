import { Problem } from '../../contract/problem';
import { outputStoreUnavailable } from '../../contract/tinify-problems';
import type { Output, OutputPart } from '../domain/output';

/** The store of outputs is unreachable or does not respond. The request may be retried. */
export class OutputStoreUnavailable extends Problem {
  constructor(cause?: unknown) {
    const { code, detail, facts } = outputStoreUnavailable();
    super(code, detail, facts, { cause });
  }
}

/** Stores outputs, shared by all replicas, within a bound. Every method may reject with OutputStoreUnavailable. */
export abstract class OutputStore {
  /**
   * Stores an output. Makes room by deleting old ones: those of the same account if it exceeds its share, and then the
   * oldest of all. Returns false, and stores nothing, if only outputs of the last minute could make room.
   */
  abstract add(output: Output, parts: Readonly<Partial<Record<OutputPart, Uint8Array>>>): Promise<boolean>;
  /**
   * Returns the output unless it has expired.
   * @param digest the key of the output, as `add` stored it
   */
  abstract find(digest: string, now: Date): Promise<Output | undefined>;
  /** Yields the bytes in pieces, so that a download holds one piece in memory. */
  abstract read(output: Output, part: OutputPart): AsyncIterable<Uint8Array>;
  /** Deletes up to `max` outputs that expired before the given time. Returns how many. */
  abstract purge(expiredBefore: Date, max: number): Promise<number>;
}
