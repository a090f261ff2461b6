/** Collects the file of an upload while it arrives, and reports the first problem with it. */
import type { BusboyFileStream } from '@fastify/busboy';
import type { Problem } from '../../contract/problem';
import {
  emptyImage,
  missingImage,
  notAnImage,
  imageTooLarge,
  tooManyFiles,
  unexpectedField,
} from '../../contract/upload-problems';
import { ArrivingImage } from '../application/arriving-image';

/** The name of the form field. */
export const IMAGE_FIELD = 'image';

export class ArrivingFile {
  onProblem: (problem: Problem) => void = () => undefined;
  private readonly image: ArrivingImage;
  private hasFile = false;

  /**
   * @param maxBodyBytes the declared length of the body, or the limit
   * @param maxUploadBytes the limit for the file
   */
  constructor(
    maxBodyBytes: number,
    private readonly maxUploadBytes: number,
  ) {
    this.image = new ArrivingImage(Math.min(maxBodyBytes, maxUploadBytes));
  }

  /** Handles a file part of the form. */
  add(name: string | undefined, stream: BusboyFileStream): void {
    stream.on('error', () => undefined);
    if (name !== IMAGE_FIELD) return this.onProblem(unexpectedField(name));
    if (this.hasFile) return this.onProblem(tooManyFiles());
    this.hasFile = true;
    stream.on('limit', () => this.onProblem(imageTooLarge(this.maxUploadBytes)));
    stream.on('data', (chunk: Buffer) => {
      if (!this.image.add(chunk)) this.onProblem(notAnImage(this.bytes()));
    });
  }

  /** Returns the problem of a form that has ended; undefined if it had one image. */
  problemAtEnd(): Problem | undefined {
    if (!this.hasFile) return missingImage();
    if (this.image.isEmpty) return emptyImage();
    return this.image.isImage() ? undefined : notAnImage(this.bytes());
  }

  bytes(): Buffer {
    return this.image.bytes();
  }
}
