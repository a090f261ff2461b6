/** Where results are remembered. A store may forget any result at any time; it never gives a wrong one. */
import type { CompressedImage } from '../domain/compression-report';

export abstract class ResultStore {
  /**
   * The result that was saved under a key, or undefined. Faults of the store count as undefined.
   * @param admit told the bytes of a new file before it is held in memory; what it throws is thrown
   */
  abstract find(key: string, admit: (bytes: number) => void): Promise<CompressedImage | undefined>;

  /**
   * Remembers a result; the least recently used ones go when there is no room. Never rejects: a result that cannot be
   * remembered is compressed again.
   * @param result with empty `bytes` when the report has a skip reason
   */
  abstract save(key: string, result: CompressedImage): Promise<void>;
}
