/**
 * Passes the chunks of a body to the parser. Chunked encoding allows chunks of one byte, and each takes the parser as long
 * as one of 64 KB, so small chunks that arrive together are joined.
 */
const TINY_BYTES = 1024;
const JOINED_BYTES = 16 * 1024;

export class BodyChunks {
  private readonly joined = Buffer.allocUnsafe(JOINED_BYTES);
  private length = 0;
  private flushing: NodeJS.Immediate | undefined;

  constructor(private readonly write: (chunk: Buffer) => void) {}

  add(chunk: Buffer): void {
    if (chunk.length >= TINY_BYTES) {
      this.flush();
      this.write(chunk);
      return;
    }
    if (this.length + chunk.length > JOINED_BYTES) this.flush();
    this.length += chunk.copy(this.joined, this.length);
    // Runs after all chunks of one read from the socket.
    this.flushing ??= setImmediate(() => this.flush());
  }

  /** Writes the joined chunks. */
  flush(): void {
    clearImmediate(this.flushing);
    this.flushing = undefined;
    if (this.length === 0) return;
    // A copy, because the parser keeps a reference.
    const chunk = Buffer.from(this.joined.subarray(0, this.length));
    this.length = 0;
    this.write(chunk);
  }
}
