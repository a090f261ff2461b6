import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { TRIAL_MS, type Account } from '../domain/account';
import { AccountRepository } from './account-repository.port';
import { UnknownLookups } from './unknown-lookups';
import { newKey, type IssuedKey } from './new-key';

export interface IssuedTrial extends IssuedKey {
  /** Number of images that may be compressed. */
  readonly images: number;
  readonly expiresAt: Date;
}

/** Expired trials are kept this long, so that their keys are refused as expired and not as unknown. */
const KEPT_MS = TRIAL_MS;
/** Deleted per new trial, so a backlog shrinks: the next trials purge an hour of SIGNUP_LIMIT_PER_HOUR from many addresses. */
const PURGED_AT_ONCE = 100;

/** Accounts without an e-mail address, for a few images within a day. */
@Injectable()
export class TrialsService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly lookups: UnknownLookups,
  ) {}

  /** Opens a trial, and deletes some that expired more than a day ago. */
  async open(images: number, now = new Date()): Promise<IssuedTrial> {
    await this.accounts.purgeTrials(new Date(now.getTime() - KEPT_MS), PURGED_AT_ONCE);
    const expiresAt = new Date(now.getTime() + TRIAL_MS);
    const account: Account = {
      id: randomUUID(),
      status: 'active',
      createdAt: now,
      usage: { images: 0, bytesIn: 0, bytesSaved: 0 },
      trial: { imagesLeft: images, expiresAt },
    };
    const { key, issued } = newKey(account.id);
    await this.accounts.createAccount(account, key);
    this.lookups.remember(key.digest);
    return { ...issued, images, expiresAt };
  }
}
