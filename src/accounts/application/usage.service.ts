/**
 * Counts images and bytes by account, key and month. Usage is summed in memory and written every second in
 * numbered batches, so that responses neither wait for the database nor fail with it. A batch that is sent
 * twice counts once.
 */
import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { Caller } from '../../contract/caller';
import { monthAfter, toMonth, type MonthlyUsage, type MonthRange, type Usage } from '../domain/usage';
import {
  AccountRepository,
  type UsageBatch,
  type UsageEntry,
  type UsagePosition,
} from './account-repository.port';

/** How often usage is written; a crash loses at most this much of it. */
const FLUSH_INTERVAL_MS = 1_000;
/** Entries per batch, so that its transaction stays short. */
const MAX_ENTRIES = 200;
/** Months that are kept, the current one included. Totals of accounts stay. */
const KEPT_MONTHS = 24;
/** Rows per page: 80 years of one key, or 20 active keys for four years. */
const ROWS_PER_PAGE = 1_000;

const NOTHING = { images: 0, bytesIn: 0, bytesSaved: 0, returned: 0 };

type KeyOfAccount = Pick<Caller, 'accountId' | 'keyId' | 'name'>;

/** Sums usage in memory and writes it in numbered batches, so that no response waits for the database. */
@Injectable()
export class UsageService implements OnModuleDestroy {
  private readonly logger = new Logger(UsageService.name);
  private readonly writer = randomUUID();
  private batches = 0;
  /** The batch that may have been stored: it is sent again, unchanged, until that is certain. */
  private unconfirmed: UsageBatch | undefined;
  private readonly pending = new Map<string, UsageEntry>();
  private flushing: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  /** The month in which old usage was last deleted, so that each process does it once a month. */
  private purgedIn: string | undefined;

  constructor(private readonly accounts: AccountRepository) {}

  /** Counts one delivered image. @param used sizes in bytes */
  record(key: KeyOfAccount, used: Omit<Usage, 'images'>) {
    this.add(key, { ...used, images: 1 });
  }

  /** Takes an image off a trial, in the database at once. Returns false if none is left. */
  takeTrialImage(accountId: string): Promise<boolean> {
    return this.accounts.takeTrialImage(accountId);
  }

  /** Gives back an image that no worker has taken. Written at once, because the visitor may send it again. */
  returnTrialImage(key: KeyOfAccount) {
    this.add(key, { returned: 1 });
    void this.flush();
  }

  /** Writes all pending usage. Never rejects; usage that cannot be written stays pending. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  async onModuleDestroy(): Promise<void> {
    await this.flush();
  }

  /**
   * Writes pending usage first, so that a client sees its own last image. Other replicas may hold back a
   * second of theirs.
   */
  async page(accountId: string, range: MonthRange, after?: UsagePosition) {
    await this.flush();
    const rows = await this.accounts.listUsage(accountId, range, ROWS_PER_PAGE + 1, after);
    const next = rows.length > ROWS_PER_PAGE ? rows[ROWS_PER_PAGE - 1] : undefined;
    return { usage: rows.slice(0, ROWS_PER_PAGE), next };
  }

  /** Yields the rows of all pages, by month and key. */
  async *rows(accountId: string, range: MonthRange): AsyncGenerator<MonthlyUsage, void> {
    let after: UsagePosition | undefined;
    do {
      const page = await this.page(accountId, range, after);
      yield* page.usage;
      after = page.next;
    } while (after);
  }

  /** Images of all keys of an account in the current month, in UTC. */
  async imagesThisMonth(accountId: string): Promise<number> {
    const month = toMonth(new Date());
    let images = 0;
    for await (const row of this.rows(accountId, { from: month, to: month })) images += row.images;
    return images;
  }

  private add({ accountId, keyId, name }: KeyOfAccount, added: Partial<typeof NOTHING>) {
    const month = toMonth(new Date());
    const id = `${accountId} ${keyId} ${month}`;
    const sum = { ...NOTHING, ...this.pending.get(id) };
    for (const [name, amount] of Object.entries(added)) sum[name as keyof typeof NOTHING] += amount;
    this.pending.set(id, { ...sum, accountId, keyId, month, ...(name !== undefined && { name }) });
    this.schedule();
  }

  private schedule() {
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS).unref();
  }

  private async write() {
    clearTimeout(this.timer);
    this.timer = undefined;
    try {
      for (let batch = this.nextBatch(); batch; batch = this.nextBatch()) {
        await this.accounts.addUsage(batch);
        this.unconfirmed = undefined;
        await this.purge();
      }
    } catch (error) {
      this.logger.warn(`Usage could not be written and stays pending: ${String(error)}`);
      this.schedule();
    }
  }

  private nextBatch() {
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

  private async purge() {
    const month = toMonth(new Date());
    if (month === this.purgedIn) return;
    await this.accounts.purgeUsage(monthAfter(month, 1 - KEPT_MONTHS));
    this.purgedIn = month;
  }
}
