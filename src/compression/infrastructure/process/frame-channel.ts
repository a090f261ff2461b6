/**
 * Messages over a pipe: Node's own IPC serialises the bytes, and 20 MB blocked the event loop for 140 ms.
 * The other side may be compromised: lengths are checked before memory is allocated; malformed frames end it.
 */
import type { Duplex } from 'node:stream';
import { errorMessage } from '../../../contract/problem';

/** The lengths of header and body in bytes, as two 32-bit big-endian integers. */
const PREFIX_BYTES = 8;
/** A report or a policy takes less than 2 KB, a stack trace a little more. */
const MAX_HEADER_BYTES = 64 * 1024;

export interface Frame {
  readonly header: unknown;
  readonly body: Uint8Array;
}

export interface FrameRules {
  /** Called before memory for a body is allocated; `skip` discards the body. Throws if the size is not plausible. */
  readonly admit: (bodyBytes: number) => 'take' | 'skip';
  readonly onMalformed: (reason: string) => void;
}

export class FrameChannel {
  private readonly prefix = Buffer.alloc(PREFIX_BYTES);
  /** Header and body of the incoming frame, allocated at its final size. */
  private frame: Buffer | undefined;
  /** Bytes received of the frame, or of its prefix while there is no frame. */
  private received = 0;
  private toSkip = 0;
  private isBroken = false;

  constructor(
    private readonly pipe: Duplex,
    private readonly onFrame: (frame: Frame) => void,
    private readonly rules?: FrameRules,
  ) {
    pipe.on('data', (piece: Buffer) => {
      if (this.isBroken) return;
      try {
        this.receive(piece);
      } catch (error) {
        this.isBroken = true;
        pipe.destroy();
        rules?.onMalformed(errorMessage(error));
      }
    });
  }

  send(header: unknown, ...parts: readonly Uint8Array[]) {
    const json = Buffer.from(JSON.stringify(header));
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt32BE(json.length, 0);
    prefix.writeUInt32BE(
      parts.reduce((sum, { length }) => sum + length, 0),
      4,
    );
    this.pipe.cork();
    this.pipe.write(prefix);
    this.pipe.write(json);
    for (const part of parts) if (part.length > 0) this.pipe.write(part);
    this.pipe.uncork();
  }

  private receive(piece: Buffer) {
    for (let rest = piece; rest.length > 0;) {
      rest = rest.subarray(this.isComplete ? this.skip(rest) : this.fill(rest));
      if (!this.isComplete) continue;
      if (!this.frame) this.begin();
      else if (this.toSkip === 0) this.deliver(this.frame);
    }
  }

  private get isComplete(): boolean {
    return this.received === (this.frame ?? this.prefix).length;
  }

  private fill(piece: Buffer) {
    const copied = piece.copy(this.frame ?? this.prefix, this.received);
    this.received += copied;
    return copied;
  }

  private skip(piece: Buffer) {
    const skipped = Math.min(this.toSkip, piece.length);
    this.toSkip -= skipped;
    return skipped;
  }

  private begin() {
    const bodyBytes = this.prefix.readUInt32BE(4);
    if (this.headerLength === 0 || this.headerLength > MAX_HEADER_BYTES) {
      throw new Error(`a header of ${this.headerLength} bytes`);
    }
    const isWanted = bodyBytes === 0 || (this.rules?.admit(bodyBytes) ?? 'take') === 'take';
    this.received = 0;
    this.toSkip = isWanted ? 0 : bodyBytes;
    this.frame = Buffer.allocUnsafeSlow(this.headerLength + (isWanted ? bodyBytes : 0));
  }

  private get headerLength(): number {
    return this.prefix.readUInt32BE(0);
  }

  private deliver(frame: Buffer) {
    this.frame = undefined;
    this.received = 0;
    const header: unknown = JSON.parse(frame.toString('utf8', 0, this.headerLength));
    this.onFrame({ header, body: frame.subarray(this.headerLength) });
  }
}
