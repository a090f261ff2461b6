/**
 * Who may download now. Downloads need no key, so an address has a limited number of them at a time; further ones wait for
 * their turn, because clients fetch the results of a whole batch at once.
 */
import { Injectable } from '@nestjs/common';
import { CompressionUnavailable } from '../../compression/application/running/compression-runner.port';
import { tooManyDownloads } from '../../contract/tinify-problems';

/** Per address; all clients behind a proxy that is not trusted share one. */
const MAX_IN_PROGRESS = 32;
/** Per address. A request that waits takes some 20 KB. */
const MAX_WAITING = 512;

interface Line {
  inProgress: number;
  readonly waiting: Set<() => void>;
}

@Injectable()
export class Downloads {
  /** Addresses with a download in progress. */
  private readonly lines = new Map<string, Line>();

  /**
   * Resolves when the address may download; its place is free again when `closed` aborts.
   * @throws Problem `rate_limited` when too many wait
   * @throws CompressionUnavailable `cancelled` when `closed` aborts before its turn
   */
  takePlace(address: string, closed: AbortSignal): Promise<void> {
    const line = this.lines.get(address) ?? { inProgress: 0, waiting: new Set() };
    if (line.waiting.size >= MAX_WAITING) throw tooManyDownloads();
    if (closed.aborted) throw new CompressionUnavailable('cancelled');
    this.lines.set(address, line);
    return new Promise((resolve, reject) => {
      let hasPlace = false;
      const start = () => {
        line.waiting.delete(start);
        line.inProgress++;
        hasPlace = true;
        resolve();
      };
      const leave = () => {
        if (hasPlace) line.inProgress--;
        line.waiting.delete(start);
        reject(new CompressionUnavailable('cancelled'));
        const next = line.waiting.values().next().value;
        if (line.inProgress < MAX_IN_PROGRESS) next?.();
        if (line.inProgress === 0) this.lines.delete(address);
      };
      closed.addEventListener('abort', leave, { once: true });
      if (line.inProgress < MAX_IN_PROGRESS) start();
      else line.waiting.add(start);
    });
  }
}
