/** The file of an upload while it arrives. Runs in the service process: it stores bytes and looks at the first ones, nothing else. */
import { Formats } from '../../contract/formats';

export class ArrivingImage {
  /** Allocated once, because joining chunks at the end would need twice the memory; untouched pages take none. */
  private readonly memory: Buffer;
  private received = 0;

  constructor(
    maxBytes: number,
    private readonly formats = Formats.builtIn,
  ) {
    this.memory = Buffer.allocUnsafeSlow(maxBytes);
  }

  /** Adds as much as fits. Returns false once the first bytes show that it is not an image. */
  add(chunk: Buffer): boolean {
    const { uploadSignatureBytes } = this.formats;
    const wasChecked = this.received >= uploadSignatureBytes;
    this.received += chunk.copy(this.memory, this.received);
    return wasChecked || this.received < uploadSignatureBytes || this.isImage();
  }

  get isEmpty(): boolean {
    return this.received === 0;
  }

  isImage(): boolean {
    return this.formats.isUpload(this.bytes());
  }

  bytes(): Buffer {
    return this.memory.subarray(0, this.received);
  }
}
