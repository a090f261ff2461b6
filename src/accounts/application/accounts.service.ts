import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  isId,
  MAX_ACTIVE_KEYS,
  MAX_REVOKED_KEYS,
  isPlausibleEmail,
  normalisedEmail,
  type Account,
  type AccountStatus,
  type StoredKey,
} from '../domain/account';
import { AccountRepository, type KeyPosition } from './account-repository.port';
import { UnknownLookups } from './unknown-lookups';
import { newKey, type IssuedKey } from './new-key';

export type SignUpResult =
  | { readonly kind: 'created'; readonly issued: IssuedKey }
  | { readonly kind: 'exists' }
  | { readonly kind: 'invalid_email' };

export type IssueResult =
  | { readonly kind: 'issued'; readonly issued: IssuedKey }
  | { readonly kind: 'no_account' }
  | { readonly kind: 'too_many'; readonly limit: number };

const ACCOUNTS_PER_PAGE = 500;
/** Keys per page; more than an account can normally have. */
const KEYS_PER_PAGE = 100;

export interface KeyPage {
  readonly keys: readonly StoredKey[];
  /** The position of the last key; absent on the last page. */
  readonly next?: KeyPosition;
}

/** Creates accounts and manages their keys, for the HTTP routes and the command line. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly lookups: UnknownLookups,
  ) {}

  /** Returns false if the database was deleted or replaced since it was opened. */
  isStoreInPlace(): boolean {
    return this.accounts.isInPlace();
  }

  async signUp(email: string): Promise<SignUpResult> {
    const address = normalisedEmail(email);
    if (!isPlausibleEmail(address)) return { kind: 'invalid_email' };
    const account: Account = {
      id: randomUUID(),
      email: address,
      status: 'active',
      createdAt: new Date(),
      usage: { images: 0, bytesIn: 0, bytesSaved: 0 },
    };
    const { key, issued } = newKey(account.id);
    if (!(await this.accounts.createAccount(account, key))) return { kind: 'exists' };
    this.lookups.remember(key.digest);
    return { kind: 'created', issued };
  }

  /** Finds an account by its id or e-mail address. */
  find(idOrEmail: string): Promise<Account | undefined> {
    return this.accounts.findAccount(normalisedEmail(idOrEmail));
  }

  /** Yields every account in order of e-mail address; reads them in pages, so their number is unlimited. */
  async *listAccounts(): AsyncGenerator<Account, void> {
    let page: Account[];
    let last: string | undefined;
    do {
      page = await this.accounts.listAccounts(ACCOUNTS_PER_PAGE, last);
      yield* page;
      last = page.at(-1)?.email;
    } while (page.length === ACCOUNTS_PER_PAGE);
  }

  async issueKey(accountId: string): Promise<IssueResult> {
    const { key, issued } = newKey(accountId);
    const outcome = await this.accounts.addKey(key, {
      maxActive: MAX_ACTIVE_KEYS,
      maxRevoked: MAX_REVOKED_KEYS,
    });
    switch (outcome) {
      case 'added':
        this.lookups.remember(key.digest);
        return { kind: 'issued', issued };
      case 'no_account':
        return { kind: 'no_account' };
      case 'too_many':
        return { kind: 'too_many', limit: MAX_ACTIVE_KEYS };
    }
  }

  /** Returns one page of the account's keys, oldest first. */
  async listKeys(accountId: string, after?: KeyPosition, limit = KEYS_PER_PAGE): Promise<KeyPage> {
    const keys = await this.accounts.listKeys(accountId, limit + 1, after);
    const last = keys[limit - 1];
    return keys.length > limit
      ? { keys: keys.slice(0, limit), next: { createdAt: last.createdAt, id: last.id } }
      : { keys };
  }

  /** Revokes a key. Returns false if no active key has this id, or if it belongs to an account other than `accountId`. */
  revokeKey(keyId: string, accountId?: string): Promise<boolean> {
    return isId(keyId) ? this.accounts.revokeKey(keyId, new Date(), accountId) : Promise.resolve(false);
  }

  /** Returns false if there is no such account. */
  setStatus(accountId: string, status: AccountStatus): Promise<boolean> {
    return this.accounts.setStatus(accountId, status);
  }
}
