/** Counts images: those that a request may make are reserved, each one made is charged, and usage is written in batches. */
import { randomUUID } from 'node:crypto';
import { Injectable, Logger, type OnModuleDestroy, Inject } from '@nestjs/common';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from '../accounts.settings';
import { sumOf, monthAfter, monthOf, startOf, type Usage } from '../domain/usage';
import type { Caller } from './authenticator';
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

/** The quota of an account in a month. */
interface QuotaState {
  readonly limit: number;
  readonly remaining: number;
  /** When the next month begins. */
  readonly renewsAt: Date;
  /** Seconds until then, at least 1. */
  readonly resetSeconds: number;
  /** Length of the month in seconds. */
  readonly windowSeconds: number;
}

export type ReserveVerdict =
  /** `quota` is absent if the account has none. */
  | { readonly kind: 'reserved'; readonly reservation: Reservation; readonly quota?: QuotaState }
  | { readonly kind: 'quota_exceeded'; readonly quota: QuotaState }
  | { readonly kind: 'trial_used_up' };

/** Reserves images of a quota or a trial before they are made. */
@Injectable()
export class Reservations {
  constructor(
    @Inject(ACCOUNTS_SETTINGS) private readonly settings: AccountsSettings,
    private readonly usage: UsageRepository,
    private readonly recorder: UsageRecorder,
  ) {}

  /**
   * Reserves the images that a request may make, all or none. Close the reservation when the request has ended.
   * @throws AccountStoreUnavailable
   */
  async reserve(caller: Caller, images: number, now = new Date()): Promise<ReserveVerdict> {
    const { accountId, isTrial, quotaImages: limit = this.settings.quotaImages } = caller;
    const month = monthOf(now);
    const open = (reserved: number) => new Reservation(this.recorder, caller, month, reserved);
    if (isTrial) {
      const isTaken = await this.usage.takeTrialImages(accountId, images);
      return isTaken ? { kind: 'reserved', reservation: open(images) } : { kind: 'trial_used_up' };
    }
    if (limit === 0) return { kind: 'reserved', reservation: open(0) };
    const { isReserved, used } = await this.usage.reserve({ accountId, images, month, limit });
    const quota = quotaState(limit, Math.max(0, limit - used), now);
    return isReserved
      ? { kind: 'reserved', reservation: open(images), quota }
      : { kind: 'quota_exceeded', quota };
  }
}

function quotaState(limit: number, remaining: number, now: Date): QuotaState {
  const month = monthOf(now);
  const renewsAt = startOf(monthAfter(month, 1));
  const secondsSince = (time: Date) => Math.ceil((renewsAt.getTime() - time.getTime()) / 1000);
  const [resetSeconds, windowSeconds] = [now, startOf(month)].map(secondsSince);
  return { limit, remaining, renewsAt, resetSeconds: Math.max(1, resetSeconds), windowSeconds };
}

/** The images that one request may make. Each one made is charged; the rest goes back when the request has ended. */
export class Reservation {
  private charged = 0;
  /** The images that were not given back; undefined until the request has ended. */
  private kept: number | undefined;

  /** @param images reserved; 0 for an account without a quota */
  constructor(
    private readonly recorder: UsageRecorder,
    private readonly caller: Caller,
    /** The month that all images of the request count for, even if it ends in the next one. */
    private readonly month: string,
    private readonly images: number,
  ) {}

  /** Adds one image to the usage of the key. */
  charge(used: Omit<Usage, 'images'>, isVariant = false): void {
    this.charged++;
    // If the client disconnects while a result is stored, the image is given back before it is charged.
    const returned = this.images > 0 && this.charged > (this.kept ?? this.images) ? -1 : 0;
    this.record({ ...used, images: 1, variants: isVariant ? 1 : 0, returned });
  }

  /**
   * Returns the images that were not made.
   * @param hasUsedWorker whether a worker has taken an image: a trial pays for that, even if the image fails
   */
  close(hasUsedWorker: boolean): void {
    this.kept = this.caller.isTrial && hasUsedWorker ? Math.max(1, this.charged) : this.charged;
    if (this.images <= this.kept) return;
    this.record({ images: 0, bytesIn: 0, bytesSaved: 0, variants: 0, returned: this.images - this.kept });
    void this.recorder.flush();
  }

  private record(used: Usage & { readonly variants: number; readonly returned: number }): void {
    const { accountId, keyId } = this.caller;
    this.recorder.record({ accountId, keyId, month: this.month, ...used });
  }
}
