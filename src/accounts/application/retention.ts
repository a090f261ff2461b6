import { Inject, Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from '../accounts.settings';
import { monthAfter, monthOf } from '../domain/usage';
import { AccountRepository } from './account-repository.port';
import { UsageRepository } from './usage-repository.port';

const INTERVAL_MS = 3_600_000;
const DAY_MS = 24 * 3_600_000;

/** Deletes old usage and old entries of the audit trail, at the start and then every hour. */
@Injectable()
export class Retention implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(Retention.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(
    @Inject(ACCOUNTS_SETTINGS) private readonly settings: AccountsSettings,
    private readonly accounts: AccountRepository,
    private readonly usage: UsageRepository,
  ) {}

  async onModuleInit(): Promise<void> {
    this.timer = setInterval(() => void this.purge(), INTERVAL_MS).unref();
    await this.purge();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** Never rejects: a failed deletion is repeated at the next run. */
  async purge(now = new Date()): Promise<void> {
    const { usageMonths, auditDays } = this.settings;
    try {
      await this.usage.purge(monthAfter(monthOf(now), 1 - usageMonths));
      await this.accounts.purgeAudit(new Date(now.getTime() - auditDays * DAY_MS));
    } catch (error) {
      this.logger.warn(`Old usage could not be deleted; the next attempt follows: ${String(error)}`);
    }
  }
}
