import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  isId,
  isPlausibleEmail,
  normalisedEmail,
  type Account,
  type AccountStatus,
  type StoredKey,
} from '../domain/account';
import { digestOf, displayPrefixOf, generateApiKey } from '../domain/api-key';
import { AccountRepository } from './account-repository.port';

/** A key at the moment of its making: the only time that its text is given out. */
export interface IssuedKey {
  readonly accountId: string;
  readonly keyId: string;
  readonly apiKey: string;
}

export type SignUpResult =
  | { readonly kind: 'created'; readonly issued: IssuedKey }
  | { readonly kind: 'exists' }
  | { readonly kind: 'invalid_email' };

/** Opening accounts and looking after their keys; used by the HTTP routes and the command line alike. */
@Injectable()
export class AccountsService {
  constructor(private readonly accounts: AccountRepository) {}

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
    return (await this.accounts.createAccount(account, key))
      ? { kind: 'created', issued }
      : { kind: 'exists' };
  }

  /** By id or e-mail address. */
  find(idOrEmail: string): Promise<Account | undefined> {
    return this.accounts.findAccount(normalisedEmail(idOrEmail));
  }

  /** Undefined when there is no such account. */
  async issueKey(accountId: string): Promise<IssuedKey | undefined> {
    if (!(await this.accounts.findAccount(accountId))) return undefined;
    const { key, issued } = newKey(accountId);
    await this.accounts.addKey(key);
    return issued;
  }

  listKeys(accountId: string): Promise<StoredKey[]> {
    return this.accounts.listKeys(accountId);
  }

  /** False when there is no live key with this id, or it belongs to another account than the one named. */
  revokeKey(keyId: string, accountId?: string): Promise<boolean> {
    return isId(keyId) ? this.accounts.revokeKey(keyId, new Date(), accountId) : Promise.resolve(false);
  }

  /** False when there is no such account. */
  setStatus(accountId: string, status: AccountStatus): Promise<boolean> {
    return this.accounts.setStatus(accountId, status);
  }
}

function newKey(accountId: string): { key: StoredKey; issued: IssuedKey } {
  const apiKey = generateApiKey();
  const id = randomUUID();
  const key = {
    id,
    accountId,
    digest: digestOf(apiKey),
    displayPrefix: displayPrefixOf(apiKey),
    createdAt: new Date(),
  };
  return { key, issued: { accountId, keyId: id, apiKey } };
}
