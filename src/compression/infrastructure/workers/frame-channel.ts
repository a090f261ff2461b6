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
  private readonly prefix = Buffer.alloc(PREFIX_BYTES);
  /** Header and body of the frame that is arriving: memory of its final size, so that nothing is joined later. */
  private frame: Buffer | undefined;
  /** Bytes that have arrived of the frame, or of its prefix while there is no frame. */
  private received = 0;

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
    for (let at = 0; at < piece.length;) {
      const target = this.frame ?? this.prefix;
      const copied = piece.copy(target, this.received, at);
      at += copied;
      this.received += copied;
      if (this.received < target.length) return;
      this.received = 0;
      if (this.frame) {
        const { frame } = this;
        this.frame = undefined;
        this.deliver(frame);
      } else {
        this.frame = Buffer.allocUnsafeSlow(this.headerLength + this.prefix.readUInt32BE(4));
      }
    }
  }

  private get headerLength(): number {
    return this.prefix.readUInt32BE(0);
  }

  private deliver(frame: Buffer): void {
    const header: unknown = JSON.parse(frame.toString('utf8', 0, this.headerLength));
    this.onFrame({ header, body: frame.subarray(this.headerLength) });
  }
}
