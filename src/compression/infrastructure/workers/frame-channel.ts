/**
 * Messages between the service and a worker process: a small JSON header and a body of bytes, over one pipe.
 *
 * Not Node's own IPC: that serialises the bytes into one message, which stopped the service's event loop for
 * 140 ms at 20 MB. A pipe moves them in pieces.
 */
import type { Duplex } from 'node:stream';

/** Two lengths in bytes, big-endian: header, body. */
const PREFIX_BYTES = 8;

export interface Frame {
  readonly header: unknown;
  readonly body: Uint8Array;
}

export class FrameChannel {
  private pieces: Buffer[] = [];
  private received = 0;
  /** Bytes to wait for: the prefix, then the whole frame. */
  private wanted = PREFIX_BYTES;

  constructor(
    private readonly pipe: Duplex,
    private readonly onFrame: (frame: Frame) => void,
  ) {
    pipe.on('data', (piece: Buffer) => this.receive(piece));
  }

  send(header: unknown, body: Uint8Array = new Uint8Array()): void {
    const json = Buffer.from(JSON.stringify(header));
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32BE(json.length, 0);
    prefix.writeUInt32BE(body.length, 4);
    this.pipe.cork();
    this.pipe.write(prefix);
    this.pipe.write(json);
    if (body.length > 0) this.pipe.write(body);
    this.pipe.uncork();
  }

  private receive(piece: Buffer): void {
    this.pieces.push(piece);
    this.received += piece.length;
    // Joined only when a frame can be complete, so that a large body is copied once, not once a piece.
    while (this.received >= this.wanted) {
      const joined = this.pieces.length === 1 ? this.pieces[0] : Buffer.concat(this.pieces, this.received);
      this.pieces = [joined];
      const headerLength = joined.readUInt32BE(0);
      const end = PREFIX_BYTES + headerLength + joined.readUInt32BE(4);
      if (this.received < end) {
        this.wanted = end;
        return;
      }
      const bodyStart = PREFIX_BYTES + headerLength;
      const header: unknown = JSON.parse(joined.toString('utf8', PREFIX_BYTES, bodyStart));
      const rest = joined.subarray(end);
      this.pieces = rest.length > 0 ? [rest] : [];
      this.received = rest.length;
      this.wanted = PREFIX_BYTES;
      this.onFrame({ header, body: joined.subarray(bodyStart, end) });
    }
  }
}
