import { formatBySignature, SIGNATURE_BYTES } from '../../contract/image-signature';

/** Collects an image while it arrives, and tells by its first bytes whether it is one. */
export class ArrivingImage {
  /** Allocated once and filled in place; joining chunks at the end would need twice the memory. */
  private readonly memory: Buffer;
  private received = 0;

  /** @param maxBytes untouched pages take no memory */
  constructor(maxBytes: number) {
    this.memory = Buffer.allocUnsafeSlow(maxBytes);
  }

  /** Adds what there is room for. Returns false once the first bytes are those of no image. */
  add(chunk: Buffer): boolean {
    const wasChecked = this.received >= SIGNATURE_BYTES;
    this.received += chunk.copy(this.memory, this.received);
    return wasChecked || this.received < SIGNATURE_BYTES || this.isImage();
  }

  get isEmpty(): boolean {
    return this.received === 0;
  }

  isImage(): boolean {
    return formatBySignature(this.bytes()) !== undefined;
  }

  bytes(): Buffer {
    return this.memory.subarray(0, this.received);
  }
}
