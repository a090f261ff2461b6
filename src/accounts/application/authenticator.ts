import { Injectable } from '@nestjs/common';
import { digestOf, digestsMatch, isWellFormedApiKey } from '../domain/api-key';
import { AccountRepository } from './account-repository.port';
import { UnknownLookups } from './unknown-lookups';

/** The authenticated account and the key that it used. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  /** Whether each image has to be claimed from a trial. */
  readonly isTrial: boolean;
  /** The account's own quota, as Account has it. */
  readonly quotaImages?: number | undefined;
}

/** The result of a key check. */
export type KeyVerdict =
  | { readonly kind: 'accepted'; readonly caller: Caller }
  /** The format or checksum is wrong; most likely a typing error. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'suspended'; readonly caller: Caller }
  | { readonly kind: 'trial_expired'; readonly caller: Caller }
  /** Not looked up, because too many unknown keys were tried. */
  | { readonly kind: 'not_looked_up'; readonly waitSeconds: number };

@Injectable()
export class Authenticator {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly lookups: UnknownLookups,
  ) {}

  /**
   * Checks a key. It queries the database each time, so a revocation takes effect at once on every replica.
   * @param address the client IP address, which limits failed look-ups
   * @throws AccountStoreUnavailable
   */
  async verify(apiKey: string, address: string): Promise<KeyVerdict> {
    if (!isWellFormedApiKey(apiKey)) return { kind: 'malformed' };
    const digest = digestOf(apiKey);
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
    const { id, status, trial, quotaImages } = found.account;
    const caller = { accountId: id, keyId: found.key.id, isTrial: trial !== undefined, quotaImages };
    if (status === 'suspended') return { kind: 'suspended', caller };
    if (trial && trial.expiresAt.getTime() <= Date.now()) return { kind: 'trial_expired', caller };
    return { kind: 'accepted', caller };
  }
}
