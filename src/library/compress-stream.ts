/** One image through a stream. Codecs need whole files: the bytes are collected, and the result follows the last of them. */
import { Transform, type TransformCallback } from 'node:stream';
import type { CompressedImage, CompressionReport } from '../compression/domain/compression-report';
import { AbortError } from './errors';

export class CompressStream extends Transform {
  /** Set before the first byte of the result. */
  report: CompressionReport | undefined;
  private pieces: Buffer[] = [];
  private readonly abandonment = new AbortController();
  private readonly onAbort = () => this.destroy(new AbortError(this.signal?.reason));

  constructor(
    private readonly compress: (bytes: Uint8Array, signal: AbortSignal) => Promise<CompressedImage>,
    private readonly signal: AbortSignal | undefined,
  ) {
    super();
    if (signal?.aborted) this.onAbort();
    signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
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
