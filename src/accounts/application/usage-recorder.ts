import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Usage } from '../domain/account';
import { AccountRepository } from './account-repository.port';

/** How often usage is written; a crash loses at most this much of it. */
const FLUSH_INTERVAL_MS = 1_000;

/**
 * Sums the usage of each account in memory and writes it at intervals, so that responses neither wait for the database nor fail
 * when it is unavailable.
 */
@Injectable()
export class UsageRecorder implements OnModuleDestroy {
  private readonly logger = new Logger(UsageRecorder.name);
  private pending = new Map<string, Usage>();
  private flushing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly accounts: AccountRepository) {}

  record(accountId: string, used: Usage): void {
    this.add(accountId, used);
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS).unref();
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
    const batch = this.pending;
    this.pending = new Map();
    for (const [accountId, used] of batch) {
      try {
        await this.accounts.addUsage(accountId, used);
      } catch (error) {
        this.logger.warn(
          `Usage of account ${accountId} could not be written and stays pending: ${String(error)}`,
        );
        this.record(accountId, used);
      }
    }
  }

  private add(accountId: string, used: Usage): void {
    const sum = this.pending.get(accountId) ?? { images: 0, bytesIn: 0, bytesSaved: 0 };
    this.pending.set(accountId, {
      images: sum.images + used.images,
      bytesIn: sum.bytesIn + used.bytesIn,
      bytesSaved: sum.bytesSaved + used.bytesSaved,
    });
  }
}
