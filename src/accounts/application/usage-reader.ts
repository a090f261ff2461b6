import { Injectable } from '@nestjs/common';
import { monthOf, type MonthlyUsage, type MonthRange } from '../domain/usage';
import { UsageRecorder } from './reservations';
import { UsageRepository, type UsagePosition } from './usage-repository.port';

/** Rows per page: 80 years of one key, or 20 active keys for four years. */
const ROWS_PER_PAGE = 1_000;

export interface UsagePage {
  readonly usage: readonly MonthlyUsage[];
  /** The position of the last row; absent on the last page. */
  readonly next?: UsagePosition;
}

/** Reads usage by month, including usage that this process has not written yet. */
@Injectable()
export class UsageReader {
  constructor(
    private readonly recorder: UsageRecorder,
    private readonly usage: UsageRepository,
  ) {}

  /** Returns one page of an account's usage, by month and key. */
  async page(accountId: string, range: MonthRange, after?: UsagePosition): Promise<UsagePage> {
    await this.recorder.flush();
    const rows = await this.usage.list(accountId, range, ROWS_PER_PAGE + 1, after);
    if (rows.length <= ROWS_PER_PAGE) return { usage: rows };
    const { month, keyId } = rows[ROWS_PER_PAGE - 1];
    return { usage: rows.slice(0, ROWS_PER_PAGE), next: { month, keyId } };
  }

  /** Yields an account's usage by month and key. */
  async *rows(accountId: string, range: MonthRange): AsyncGenerator<MonthlyUsage, void> {
    let after: UsagePosition | undefined;
    do {
      const page = await this.page(accountId, range, after);
      yield* page.usage;
      after = page.next;
    } while (after);
  }

  /** Returns the images of an account in the current month. */
  async imagesThisMonth(accountId: string, now = new Date()): Promise<number> {
    await this.recorder.flush();
    return this.usage.imagesOf(accountId, monthOf(now));
  }
}
