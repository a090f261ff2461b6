/** A number of bytes that many want a part of: what is claimed is counted until it is released. */
export class MemoryBudget {
  private claimedBytes = 0;
  private readonly byHolder = new Map<string, number>();

  /** @param mostPerHolder bytes that one holder may claim, so that nobody keeps all others out; all when absent */
  constructor(
    readonly capacityBytes: number,
    private readonly mostPerHolder = capacityBytes,
  ) {}

  get usedBytes(): number {
    return this.claimedBytes;
  }

  hasRoomFor(bytes: number): boolean {
    return this.claimedBytes + bytes <= this.capacityBytes;
  }

  /**
   * Claims so many bytes. What is larger than the whole budget gets in when nothing else is there, or it never would.
   * @returns how to release them, to be called as often as one likes; undefined when there is no room
   */
  claim(bytes: number, holder = ''): (() => void) | undefined {
    const held = this.byHolder.get(holder) ?? 0;
    const fits = this.hasRoomFor(bytes) && held + bytes <= this.mostPerHolder;
    if (!fits && this.claimedBytes > 0) return undefined;
    this.add(bytes, holder);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.add(-bytes, holder);
    };
  }

  private add(bytes: number, holder: string): void {
    this.claimedBytes += bytes;
    const held = (this.byHolder.get(holder) ?? 0) + bytes;
    if (held > 0) this.byHolder.set(holder, held);
    else this.byHolder.delete(holder);
  }
}
