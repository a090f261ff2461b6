import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { sumOf } from '../domain/usage';
import { UsageRepository, type UsageBatch, type UsageEntry } from './usage-repository.port';

/** How often usage is written; a crash loses at most this much of it. */
const FLUSH_INTERVAL_MS = 1_000;
/** Entries per batch, so that its transaction stays short. */
const MAX_ENTRIES = 200;

/**
 * Sums the usage of each key and month in memory and writes it in batches, so that responses neither wait for the database nor
 * fail when it is unavailable. A batch has a number and is stored once, even if it is sent twice because an acknowledgement was
 * lost.
 */
@Injectable()
export class UsageRecorder implements OnModuleDestroy {
  private readonly logger = new Logger(UsageRecorder.name);
  private readonly writer = randomUUID();
  private batches = 0;
  /** The batch that may have been stored: it is sent again, unchanged, until that is certain. */
  private unconfirmed: UsageBatch | undefined;
  private readonly pending = new Map<string, UsageEntry>();
  private flushing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly usage: UsageRepository) {}

  record(entry: UsageEntry): void {
    const id = `${entry.accountId} ${entry.keyId} ${entry.month}`;
    const sum = this.pending.get(id);
    const added = sum && {
      ...sumOf(sum, entry),
      variants: sum.variants + entry.variants,
      returned: sum.returned + entry.returned,
    };
    this.pending.set(id, added ?? entry);
    this.schedule();
  }

  /** Writes all pending usage. Never rejects; usage that cannot be written stays pending. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  async onModuleDestroy(): Promise<void> {
    await this.flush();
  }

  private async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      for (let batch = this.nextBatch(); batch; batch = this.nextBatch()) {
        await this.usage.add(batch);
        this.unconfirmed = undefined;
      }
    } catch (error) {
      this.logger.warn(`Usage could not be written and stays pending: ${String(error)}`);
      this.schedule();
    }
  }

  private nextBatch(): UsageBatch | undefined {
    if (this.unconfirmed || this.pending.size === 0) return this.unconfirmed;
    const next = [...this.pending].slice(0, MAX_ENTRIES);
    for (const [id] of next) this.pending.delete(id);
    this.unconfirmed = {
      writer: this.writer,
      number: ++this.batches,
      entries: next.map(([, entry]) => entry),
    };
    return this.unconfirmed;
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS).unref();
  }
}
