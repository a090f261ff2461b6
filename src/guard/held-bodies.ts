/** Holds bodies of requests in memory until their images are decided, within bounds. What does not fit is flushed and streams. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface HoldingLimits {
  /** Of one body, in bytes. */
  readonly maxBytes: number;
  /** Of all bodies and their results, in bytes. */
  readonly memoryBytes: number;
  readonly maxHeld: number;
  /** The body of a client that sends fewer bytes in this time streams. */
  readonly slow: { readonly bytes: number; readonly ms: number };
}

/** A body, or as much of it as has been read. */
export interface HeldBody {
  readonly pieces: readonly Buffer[];
  /** Why it is not held to its end; the rest is still to be read from the request. */
  readonly fault?: string | undefined;
  /** Frees its room; again without effect. */
  readonly release: () => void;
}

/** While a body is joined from its pieces it is there twice, and later its results are there, too. */
const ROOM_PER_BYTE = 2;

export class HeldBodies {
  private readonly rooms = new Set<{ bytes: number }>();

  constructor(private readonly limits: HoldingLimits) {}

  get count(): number {
    return this.rooms.size;
  }

  get bytes(): number {
    return [...this.rooms].reduce((total, { bytes }) => total + bytes, 0);
  }

  /** Answers `Expect: 100-continue`. Resolves with undefined if the client disconnects. */
  async hold(req: IncomingMessage, res: ServerResponse): Promise<HeldBody | undefined> {
    const { maxHeld, slow } = this.limits;
    const room = { bytes: 0 };
    const release = () => void this.rooms.delete(room);
    const full = this.rooms.size >= maxHeld ? 'too many held' : undefined;
    this.rooms.add(room);
    const fault = full ?? this.grow(room, Number(req.headers['content-length'] ?? 0));
    if (fault !== undefined) {
      release();
      return { pieces: [], fault, release };
    }
    if (req.headers.expect !== undefined) res.writeContinue();
    const pieces: Buffer[] = [];
    let received = 0;
    let timer: NodeJS.Timeout | undefined;
    const isHeld = await new Promise<boolean | string>((resolve) => {
      let lately = 0;
      timer = setInterval(() => {
        if (lately < slow.bytes) resolve('slow client');
        lately = 0;
      }, slow.ms);
      req.on('data', (piece: Buffer) => {
        pieces.push(piece);
        received += piece.length;
        lately += piece.length;
        const why = this.grow(room, received);
        if (why !== undefined) resolve(why);
      });
      req.once('end', () => resolve(true));
      req.once('close', () => resolve(false));
    });
    clearInterval(timer);
    req.removeAllListeners('data').pause();
    if (isHeld === false) {
      release();
      return undefined;
    }
    return { pieces, release, fault: isHeld === true ? undefined : isHeld };
  }

  /** Reserves room for so many bytes in all, or returns why there is none. */
  private grow(room: { bytes: number }, received: number) {
    if (received > this.limits.maxBytes) return 'too large';
    const wanted = Math.max(room.bytes, ROOM_PER_BYTE * received);
    if (this.bytes - room.bytes + wanted > this.limits.memoryBytes) return 'no memory';
    room.bytes = wanted;
    return undefined;
  }
}
