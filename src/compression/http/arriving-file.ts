/** Collects the file of an upload while it arrives, and reports the first problem with it. */
import type { BusboyFileStream } from '@fastify/busboy';
import type { Problem } from '../../contract/problem';
import { formatBySignature, SIGNATURE_BYTES } from '../../contract/image-signature';
import {
  emptyImage,
  missingImage,
  notAnImage,
  imageTooLarge,
  tooManyFiles,
  unexpectedField,
} from '../../contract/upload-problems';

/** The name of the form field. */
export const IMAGE_FIELD = 'image';

export class ArrivingFile {
  onProblem: (problem: Problem) => void = () => undefined;
  /** Allocated once and filled in place; joining chunks at the end would need twice the memory. */
  private readonly memory: Buffer;
  private received = 0;
  private hasFile = false;

  /**
   * @param maxBodyBytes the declared length of the body, or the limit; untouched pages take no memory
   * @param maxUploadBytes the limit for the file
   */
  constructor(
    maxBodyBytes: number,
    private readonly maxUploadBytes: number,
  ) {
    this.memory = Buffer.allocUnsafeSlow(Math.min(maxBodyBytes, maxUploadBytes));
  }

  /** Handles a file part of the form. */
  add(name: string | undefined, stream: BusboyFileStream): void {
    stream.on('error', () => undefined);
    if (name !== IMAGE_FIELD) return this.onProblem(unexpectedField(name));
    if (this.hasFile) return this.onProblem(tooManyFiles());
    this.hasFile = true;
    stream.on('limit', () => this.onProblem(imageTooLarge(this.maxUploadBytes)));
    stream.on('data', (chunk: Buffer) => {
      const wasChecked = this.received >= SIGNATURE_BYTES;
      this.received += chunk.copy(this.memory, this.received);
      if (!wasChecked && this.received >= SIGNATURE_BYTES && !this.isImage()) this.onProblem(notAnImage());
    });
  }

  /** Returns the problem of a form that has ended; undefined if it had one image. */
  problemAtEnd(): Problem | undefined {
    if (!this.hasFile) return missingImage();
    if (this.received === 0) return emptyImage();
    return this.isImage() ? undefined : notAnImage();
  }

  bytes(): Buffer {
    return this.memory.subarray(0, this.received);
  }

  private isImage(): boolean {
    return formatBySignature(this.bytes()) !== undefined;
  }
}
