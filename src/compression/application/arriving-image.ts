import { formatBySignature, SIGNATURE_BYTES } from '../../contract/formats';

/** Formats that first bytes can show. */
export interface AcceptedFormats {
  readonly signatureBytes: number;
  readonly formatOf: (bytes: Uint8Array) => string | undefined;
}

const UPLOAD_SIGNATURES: AcceptedFormats = { signatureBytes: SIGNATURE_BYTES, formatOf: formatBySignature };

/** Collects an image as it arrives, and decides from its first bytes whether it is an image. */
export class ArrivingImage {
  /** Allocated once and filled in place; joining chunks at the end would need twice the memory. */
  private readonly memory: Buffer;
  private received = 0;

  /**
   * @param maxBytes allocated at once; untouched pages take no memory
   * @param accepted the formats that it may have; those of uploads by default
   */
  constructor(
    maxBytes: number,
    private readonly accepted: AcceptedFormats = UPLOAD_SIGNATURES,
  ) {
    this.memory = Buffer.allocUnsafeSlow(maxBytes);
  }

  /** Adds as much as fits. Returns false once the first bytes show that it is not an image. */
  add(chunk: Buffer): boolean {
    const { signatureBytes } = this.accepted;
    const wasChecked = this.received >= signatureBytes;
    this.received += chunk.copy(this.memory, this.received);
    return wasChecked || this.received < signatureBytes || this.isImage();
  }

  get isEmpty(): boolean {
    return this.received === 0;
  }

  isImage(): boolean {
    return this.accepted.formatOf(this.bytes()) !== undefined;
  }

  bytes(): Buffer {
    return this.memory.subarray(0, this.received);
  }
}
