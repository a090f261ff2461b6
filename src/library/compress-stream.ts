/** Codecs need whole files: the bytes are collected, and the result follows the last of them. */
import { Transform, type TransformCallback } from 'node:stream';
import { asCompressionError, inputTooLarge } from './errors';
import type { CompressedImage, CompressionReport } from './report';

export class CompressStream extends Transform {
  /** Set before the first byte of the result. */
  report: CompressionReport | undefined;
  private readonly pieces: Buffer[] = [];
  private size = 0;
  private readonly stop = new AbortController();

  constructor(
    private readonly compress: (bytes: Uint8Array, signal: AbortSignal) => Promise<CompressedImage>,
    private readonly maxBytes: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    super();
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
    this.size += piece.length;
    this.pieces.push(piece);
    done(this.size > this.maxBytes ? inputTooLarge(this.maxBytes) : null);
  }

  override _flush(done: TransformCallback) {
    this.compress(Buffer.concat(this.pieces), this.stop.signal).then(({ bytes, report }) => {
      this.report = report;
      done(null, bytes);
    }, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void) {
    this.stop.abort();
    this.pieces.length = 0;
    done(error && this.signal?.aborted ? asCompressionError(error, this.signal) : error);
  }
}
