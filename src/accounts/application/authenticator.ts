/**
 * Checks API keys, and limits look-ups of unknown ones. Anyone can make well-formed keys, and each look-up is
 * a query, so a flood of them could stop the database. Keys that were valid before are always looked up: an
 * attack locks no existing client out.
 */
import { Injectable } from '@nestjs/common';
import * as problem from '../../contract/account-problems';
import type { Problem } from '../../contract/problem';
import { OPERATOR } from '../domain/account';
import type { Caller } from '../../contract/caller';
import { digestKey, digestsMatch, isWellFormedApiKey } from '../domain/api-key';
import { AccountRepository } from './account-repository.port';
import { ConfiguredAccounts } from './configured-accounts';

/** Counts start again after this, for all addresses at once. */
const WINDOW_MS = 10_000;
/** Per IP address and window, including look-ups in progress: 10 per second. */
const MAX_PER_ADDRESS = 100;
/** Per window, from all addresses: 100 per second. With SQLite each look-up blocks the event loop for 0.23 ms. */
const MAX_TOTAL = 1_000;
/** Digests of valid keys or ids to remember; 10 000 take about 2 MB. */
const MAX_VALID = 10_000;

/** Limits look-ups of keys or ids that nobody knows. Those found or created recently are always looked up. */
export class UnknownLookups {
  /** Digests of valid keys or ids, least recently used first. */
  private readonly valid = new Set<string>();
  private failures = new Map<string, number>();
  private total = 0;
  private windowEnds = 0;

  constructor(private readonly refusal: (waitSeconds: number) => Problem = problem.tooManyUnknownKeys) {}

  /** Only unknown digests count against the address, not valid ones or errors. @throws Problem after too many */
  async within<T>(
    digest: string,
    address: string,
    find: () => Promise<T>,
    isValid: (found: T) => boolean,
  ): Promise<T> {
    const wasValid = this.valid.has(digest);
    if (!wasValid) this.count(address);
    let isUnknown = false;
    try {
      const found = await find();
      isUnknown = !isValid(found);
      this.valid.delete(digest);
      if (!isUnknown) this.remember(digest);
      return found;
    } finally {
      if (!wasValid && !isUnknown) this.giveBack(address);
    }
  }

  /**
   * Marks a key or id as valid: it was just found or created. Beyond MAX_VALID the least recently used one is
   * forgotten.
   */
  remember(digest: string) {
    this.valid.add(digest);
    const [oldest] = this.valid;
    if (this.valid.size > MAX_VALID) this.valid.delete(oldest);
  }

  private count(address: string) {
    const now = performance.now();
    if (now >= this.windowEnds) {
      this.failures = new Map();
      this.total = 0;
      this.windowEnds = now + WINDOW_MS;
    }
    const failed = this.failures.get(address) ?? 0;
    if (failed >= MAX_PER_ADDRESS || this.total >= MAX_TOTAL)
      throw this.refusal(Math.ceil((this.windowEnds - now) / 1000));
    this.failures.set(address, failed + 1);
    this.total++;
  }

  /** The window may have begun after the look-up. */
  private giveBack(address: string) {
    const counted = this.failures.get(address) ?? 0;
    if (counted === 0) return;
    this.failures.set(address, counted - 1);
    this.total--;
  }
}

/**
 * The outcome of a check, as data. Both members are there for a known key that may not be used, so that the
 * log names its account.
 */
export interface KeyVerdict {
  readonly caller?: Caller;
  readonly refusal?: Problem;
}

@Injectable()
export class Authenticator {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly configured: ConfiguredAccounts,
    private readonly lookups: UnknownLookups,
  ) {}

  /** Queries the database each time, so a revocation acts at once on every replica. @throws AccountStoreUnavailable */
  async verify(apiKey: string, address: string): Promise<KeyVerdict> {
    const digest = digestKey(apiKey);
    const caller = this.configured.findByDigest(digest);
    if (caller) return { caller };
    // Most likely a typing error; but keys in a file have any form, and may have been taken out of it.
    if (!isWellFormedApiKey(apiKey) && !this.configured.hasFile)
      return { refusal: problem.malformedApiKey() };
    return this.lookups.within(
      digest,
      address,
      () => this.lookUp(digest, address),
      ({ refusal }) => !refusal,
    );
  }

  private async lookUp(digest: string, address: string): Promise<KeyVerdict> {
    const found = await this.accounts.findKeyByDigest(digest);
    if (!found || !digestsMatch(found.key.digest, digest) || found.key.revokedAt)
      return { refusal: problem.unknownApiKey() };
    const { id, email, status, trial } = found.account;
    const isTrial = trial !== undefined;
    const shareKey = isTrial ? `trials of ${address}` : id;
    const caller = { accountId: id, keyId: found.key.id, shareKey, isTrial, isUnlimited: email === OPERATOR };
    if (status === 'suspended') return { caller, refusal: problem.accountSuspended() };
    if (trial && trial.expiresAt.getTime() <= Date.now()) return { caller, refusal: problem.trialExpired() };
    return { caller };
  }
}
