/** The one file of an upload while it arrives; reports the first thing that is wrong with it. */
import type { BusboyFileStream } from '@fastify/busboy';
import type { Problem } from '../../operations/problem';
import { formatBySignature, SIGNATURE_BYTES } from '../formats/image-signature';
import {
  emptyImage,
  missingImage,
  notAnImage,
  imageTooLarge,
  tooManyFiles,
  unexpectedField,
} from './upload-problems';

export const FIELD = 'image';

export class ArrivingFile {
  onFault: (problem: Problem) => void = () => undefined;
  /** One piece of memory, filled in place: joining pieces at the end would need all of it twice. */
  private readonly memory: Buffer;
  private received = 0;
  private hasFile = false;

  /** @param mostBytes what the request has declared, or may send at most; pages that stay empty cost nothing */
  constructor(
    mostBytes: number,
    private readonly maxUploadBytes: number,
  ) {
    this.memory = Buffer.allocUnsafeSlow(Math.min(mostBytes, maxUploadBytes));
  }

  take(name: string | undefined, stream: BusboyFileStream): void {
    stream.on('error', () => undefined);
    if (name !== FIELD) return this.onFault(unexpectedField(name));
    if (this.hasFile) return this.onFault(tooManyFiles());
    this.hasFile = true;
    stream.on('limit', () => this.onFault(imageTooLarge(this.maxUploadBytes)));
    stream.on('data', (piece: Buffer) => {
      const wasRecognised = this.received >= SIGNATURE_BYTES;
      this.received += piece.copy(this.memory, this.received);
      if (!wasRecognised && this.received >= SIGNATURE_BYTES && !this.isImage()) this.onFault(notAnImage());
    });
  }

  faultAtEnd(): Problem | undefined {
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
