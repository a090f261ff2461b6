/** Detects bodies that arrive in pieces of a few bytes, which chunked encoding allows (RFC 9112 7.1). */

/** Each piece takes some 2 µs, so a megabyte in one-byte chunks takes as long as hundreds of megabytes in large ones. */
const LEAST_AVERAGE_BYTES = 32;
/** Number of pieces that may have any size: heads of parts, and clients that send the start of a file byte by byte. */
const ANY_SIZE = 1_024;

export class PieceSizes {
  private pieces = 0;
  private bytes = 0;

  /** Counts a piece of the body. Returns whether the pieces are too small on average. */
  areTinyWith({ length }: Buffer): boolean {
    this.pieces++;
    this.bytes += length;
    return this.pieces > ANY_SIZE && this.bytes < this.pieces * LEAST_AVERAGE_BYTES;
  }
}
