/** Stores results. A store may forget any result at any time, but never returns a wrong one. */
import type { CompressedImage } from '../../domain/compression-report';

export abstract class ResultStore {
  /**
   * Returns the result saved under a key; undefined if there is none or the store fails.
   * @param admit called with the size of the file in bytes before memory for it is allocated; `find` rejects with the error that it throws
   */
  abstract find(key: string, admit: (bytes: number) => void): Promise<CompressedImage | undefined>;

  /**
   * Saves a result and evicts the least recently used ones if necessary. Never rejects: an unsaved result is compressed again.
   * @param key from resultKey: a SHA-256 digest in hexadecimal
   * @param result with empty `bytes` if the report has a skip reason
   */
  abstract save(key: string, result: CompressedImage): Promise<void>;
}
