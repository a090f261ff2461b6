import { Injectable } from '@nestjs/common';
import { OPERATOR, type Caller } from '../domain/account';
import { digestOf, digestsMatch, isWellFormedApiKey } from '../domain/api-key';
import { AccountRepository } from './account-repository.port';
import { ConfiguredAccounts } from './configured-accounts';

const WINDOW_MS = 10_000;
/** Per IP address and window, including look-ups in progress: 10 per second. */
const MAX_PER_ADDRESS = 100;
/** Per window, from all addresses: 100 per second. With SQLite each look-up blocks the event loop for 0.23 ms. */
const MAX_TOTAL = 1_000;
/** Digests of valid keys or ids to remember; 10 000 take about 2 MB. */
const MAX_VALID = 10_000;

/** Limits look-ups of keys or ids that nobody knows. Those found or created recently are always looked up. */
@Injectable()
export class UnknownLookups {
  /** Digests of valid keys or ids, least recently used first. */
  private readonly valid = new Set<string>();
  private failures = new Map<string, number>();
  private total = 0;
  private windowEnds = 0;

  begin(digest: string, address: string, now = performance.now()): boolean {
    if (this.valid.has(digest)) return true;
    if (now >= this.windowEnds) {
      this.failures = new Map();
      this.total = 0;
      this.windowEnds = now + WINDOW_MS;
    }
    const failed = this.failures.get(address) ?? 0;
    if (failed >= MAX_PER_ADDRESS || this.total >= MAX_TOTAL) return false;
    this.failures.set(address, failed + 1);
    this.total++;
    return true;
  }

  /** Ends a look-up. Only unknown ones count against the address, not valid ones or database errors. */
  settle(digest: string, address: string, outcome: 'valid' | 'unknown' | 'error'): void {
    const wasValid = this.valid.has(digest);
    if (outcome !== 'error') this.valid.delete(digest);
    if (outcome === 'valid') this.remember(digest);
    const counted = this.failures.get(address) ?? 0;
    if (outcome === 'unknown' || wasValid || counted === 0) return;
    this.failures.set(address, counted - 1);
    this.total--;
  }

  /** At least 1. */
  waitSeconds(now = performance.now()): number {
    return Math.max(1, Math.ceil((this.windowEnds - now) / 1000));
  }

  remember(digest: string): void {
    this.valid.add(digest);
    const [oldest] = this.valid;
    if (this.valid.size > MAX_VALID) this.valid.delete(oldest);
  }
}

export type KeyVerdict =
  | { readonly kind: 'accepted'; readonly caller: Caller }
  /** The format or checksum is wrong; most likely a typing error. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'suspended'; readonly caller: Caller }
  | { readonly kind: 'trial_expired'; readonly caller: Caller }
  | { readonly kind: 'not_looked_up'; readonly waitSeconds: number };

@Injectable()
export class Authenticator {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly configured: ConfiguredAccounts,
    private readonly lookups: UnknownLookups,
  ) {}

  /** Queries the database each time, so a revocation acts at once on every replica. @throws AccountStoreUnavailable */
  async verify(apiKey: string, address: string): Promise<KeyVerdict> {
    const digest = digestOf(apiKey);
    const caller = this.configured.findByDigest(digest);
    if (caller) return { kind: 'accepted', caller };
    if (!isWellFormedApiKey(apiKey)) return { kind: 'malformed' };
    if (!this.lookups.begin(digest, address)) {
      return { kind: 'not_looked_up', waitSeconds: this.lookups.waitSeconds() };
    }
    let outcome: 'valid' | 'unknown' | 'error' = 'error';
    try {
      const verdict = await this.lookUp(digest);
      outcome = verdict.kind === 'accepted' ? 'valid' : 'unknown';
      return verdict;
    } finally {
      this.lookups.settle(digest, address, outcome);
    }
  }

  private async lookUp(digest: string): Promise<KeyVerdict> {
    const found = await this.accounts.findKeyByDigest(digest);
    if (!found || !digestsMatch(found.key.digest, digest)) return { kind: 'unknown' };
    if (found.key.revokedAt) return { kind: 'revoked' };
    const { id, email, status, trial } = found.account;
    const isUnlimited = email === OPERATOR;
    const caller = { accountId: id, keyId: found.key.id, isTrial: trial !== undefined, isUnlimited };
    if (status === 'suspended') return { kind: 'suspended', caller };
    if (trial && trial.expiresAt.getTime() <= Date.now()) return { kind: 'trial_expired', caller };
    return { kind: 'accepted', caller };
  }
}
