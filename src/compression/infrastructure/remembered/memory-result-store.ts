/** Stores results in the memory of this process. */
import { ResultStore } from '../../application/running/result-store.port';
import type { CompressedImage } from '../../domain/compression-report';

/** Estimated memory of an entry without its image: key, report and map. */
const ENTRY_BYTES = 2048;

export class MemoryResultStore extends ResultStore {
  /** Ordered by last use. */
  private readonly results = new Map<string, CompressedImage>();
  private usedBytes = 0;

  constructor(private readonly capacityBytes: number) {
    super();
  }

  find(key: string, admit: (bytes: number) => void): Promise<CompressedImage | undefined> {
    return Promise.resolve().then(() => {
      const result = this.results.get(key);
      if (!result) return undefined;
      this.results.delete(key);
      this.results.set(key, result);
      if (result.bytes.length > 0) admit(result.bytes.length);
      return result;
    });
  }

  save(key: string, result: CompressedImage): Promise<void> {
    this.forget(key);
    const bytes = sizeOf(result);
    if (bytes <= this.capacityBytes) {
      for (const oldest of this.results.keys()) {
        if (this.usedBytes + bytes <= this.capacityBytes) break;
        this.forget(oldest);
      }
      this.results.set(key, result);
      this.usedBytes += bytes;
    }
    return Promise.resolve();
  }

  private forget(key: string): void {
    const result = this.results.get(key);
    if (!result) return;
    this.results.delete(key);
    this.usedBytes -= sizeOf(result);
  }
}

function sizeOf({ bytes }: CompressedImage): number {
  return bytes.length + ENTRY_BYTES;
}
