/**
 * A memory budget in bytes. Holders claim parts of it and release them.
 * @example
 * const budget = new MemoryBudget(1000);
 * const claim = budget.claim(600, 'account A');
 * console.log(budget.claim(600, 'account B')); // undefined
 * claim?.release();
 * console.log(budget.usedBytes); // 0
 */
export class MemoryBudget {
  private claimedBytes = 0;
  private readonly byHolder = new Map<string, number>();

  /** @param maxPerHolder bytes that one holder may claim; the whole budget by default */
  constructor(
    readonly capacityBytes: number,
    private readonly maxPerHolder = capacityBytes,
  ) {}

  get usedBytes(): number {
    return this.claimedBytes;
  }

  /** Returns whether the bytes fit. More than the whole budget fits only while nothing is claimed; otherwise it would never fit. */
  hasRoomFor(bytes: number, holder = ''): boolean {
    if (this.claimedBytes === 0) return true;
    const held = this.byHolder.get(holder) ?? 0;
    return this.claimedBytes + bytes <= this.capacityBytes && held + bytes <= this.maxPerHolder;
  }

  /** Claims bytes. Returns undefined if they do not fit. */
  claim(bytes: number, holder = ''): MemoryClaim | undefined {
    const claim = this.open(holder);
    return claim.resize(bytes) ? claim : undefined;
  }

  /** Returns a claim of 0 bytes, which can be resized. */
  open(holder = ''): MemoryClaim {
    let bytes = 0;
    let isReleased = false;
    const change = (by: number) => {
      bytes += by;
      this.claimedBytes += by;
      const held = (this.byHolder.get(holder) ?? 0) + by;
      if (held > 0) this.byHolder.set(holder, held);
      else this.byHolder.delete(holder);
    };
    return {
      resize: (wanted, mayExceed = true) => {
        if (isReleased) return false;
        const more = wanted - bytes;
        const isAlone = mayExceed && this.claimedBytes === bytes;
        if (more > 0 && !isAlone && !this.hasRoomFor(more, holder)) return false;
        change(more);
        return true;
      },
      release: () => {
        isReleased = true;
        change(-bytes);
      },
    };
  }
}

export interface MemoryClaim {
  /**
   * Sets the total size of the claim. Returns false and changes nothing if it does not fit or was released.
   * @param mayExceed whether any size fits while there is no other claim; true by default
   */
  resize(bytes: number, mayExceed?: boolean): boolean;
  /** Releases the claim. Further calls do nothing. */
  release(): void;
}
