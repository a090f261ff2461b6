import { Injectable } from '@nestjs/common';
import { digestOf, digestsMatch, isWellFormedApiKey } from '../domain/api-key';
import { AccountRepository } from './account-repository.port';

/** Who is calling. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
}

/** The outcome of a key check, as data: what to answer is the caller's business. */
export type KeyVerdict =
  | { readonly kind: 'accepted'; readonly caller: Caller }
  /** Not a key by its shape or checksum: most likely a typing error. */
  | { readonly kind: 'malformed' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'suspended'; readonly caller: Caller };

@Injectable()
export class Authenticator {
  constructor(private readonly accounts: AccountRepository) {}

  /** Checks a key against the store each time, so that a revocation acts at once on every replica. */
  async verify(apiKey: string): Promise<KeyVerdict> {
    if (!isWellFormedApiKey(apiKey)) return { kind: 'malformed' };
    const digest = digestOf(apiKey);
    const found = await this.accounts.findKeyByDigest(digest);
    if (!found || !digestsMatch(found.key.digest, digest)) return { kind: 'unknown' };
    if (found.key.revokedAt) return { kind: 'revoked' };
    const caller = { accountId: found.account.id, keyId: found.key.id };
    return { kind: found.account.status === 'suspended' ? 'suspended' : 'accepted', caller };
  }
}
