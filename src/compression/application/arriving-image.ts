import { formatBySignature, SIGNATURE_BYTES } from '../../contract/formats';

export class ArrivingImage {
  /** Allocated once, because joining chunks at the end would need twice the memory; untouched pages take none. */
  private readonly memory: Buffer;
  private received = 0;

  constructor(maxBytes: number) {
    this.memory = Buffer.allocUnsafeSlow(maxBytes);
  }

  /** Adds as much as fits. Returns false once the first bytes show that it is not an image. */
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
