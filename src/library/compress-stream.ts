/** One image through a stream. Codecs need whole files: the bytes are collected, and the result follows the last of them. */
import { Transform, type TransformCallback } from 'node:stream';
import { AbortError, inputTooLarge } from './errors';
import type { CompressedImage, CompressionReport } from './report';

export class CompressStream extends Transform {
  /** Set before the first byte of the result. */
  report: CompressionReport | undefined;
  private pieces: Buffer[] = [];
  private size = 0;
  private readonly abandonment = new AbortController();
  private readonly onAbort = () => this.destroy(new AbortError(this.signal?.reason));

  /** @param maxBytes most bytes that are collected */
  constructor(
    private readonly compress: (bytes: Uint8Array, signal: AbortSignal) => Promise<CompressedImage>,
    private readonly maxBytes: number,
    private readonly signal: AbortSignal | undefined,
  ) {
    super();
    if (signal?.aborted) this.onAbort();
    signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.size += piece.length;
    if (this.size > this.maxBytes) return done(inputTooLarge(this.maxBytes));
    this.pieces.push(piece);
    done();
  }

  override _flush(done: TransformCallback): void {
    const bytes = Buffer.concat(this.pieces);
    this.pieces = [];
    this.compress(bytes, this.abandonment.signal).then(({ bytes: result, report }) => {
      this.report = report;
      done(null, result);
    }, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.signal?.removeEventListener('abort', this.onAbort);
    this.abandonment.abort(error);
    this.pieces = [];
    done(error);
  }
}
