/**
 * The operations on accounts and keys, for HTTP, the command line and the first start. Keys are returned in
 * plain text only where they are created.
 */
import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../observability/logging';
import {
  isId,
  OPERATOR,
  TRIAL_MS,
  isPlausibleEmail,
  newAccount,
  normalisedEmail,
  type Account,
  type AccountStatus,
  type Actor,
} from '../domain/account';
import { AccountRepository, type KeyPosition } from './account-repository.port';
import { UnknownLookups } from './authenticator';
import { newKey, type IssuedKey } from '../domain/api-key';

/** A new trial: its key, the number of images it may compress, and when the key stops working. */
export interface IssuedTrial extends IssuedKey {
  readonly images: number;
  readonly expiresAt: Date;
}

/** Deleted per new trial, so a backlog shrinks: the next trials purge an hour of SIGNUP_LIMIT_PER_HOUR from many addresses. */
const TRIALS_PURGED = 100;
const ACCOUNTS_PER_PAGE = 500;
/** Keys per page; more than an account can normally have. */
const KEYS_PER_PAGE = 100;

type AccountEvent =
  'account.created' | 'account.suspended' | 'account.resumed' | 'key.created' | 'key.revoked';

/** Creates accounts and manages their keys, for the HTTP routes and the command line. Each change is a line of the log. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly lookups: UnknownLookups,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Creates an account and its first key. Upper and lower case in the address do not differ. */
  async signUp(email: string, actor: Actor): Promise<IssuedKey | 'exists' | 'invalid_email'> {
    const address = normalisedEmail(email);
    if (!isPlausibleEmail(address)) return 'invalid_email';
    return (await this.create({ email: address }, actor)) ?? 'exists';
  }

  /** Whether there is no account but trials. */
  async isEmpty(): Promise<boolean> {
    return (await this.accounts.listAccounts(1)).length === 0;
  }

  /** Creates the operator's account. Returns its key; undefined if another process has created it. */
  signUpOperator(): Promise<IssuedKey | undefined> {
    return this.create({ email: OPERATOR }, { actor: 'first-start' });
  }

  /** Opens a trial. Deletes some that expired more than a day ago; until then their keys are refused as expired, not as unknown. */
  async openTrial(images: number, now = new Date()): Promise<IssuedTrial> {
    await this.accounts.purgeTrials(new Date(now.getTime() - TRIAL_MS), TRIALS_PURGED);
    const expiresAt = new Date(now.getTime() + TRIAL_MS);
    const issued = await this.create({ createdAt: now, trial: { imagesLeft: images, expiresAt } });
    if (!issued) throw new Error('A new id is taken');
    return { ...issued, images, expiresAt };
  }

  /** Returns undefined if the e-mail address already has an account. Without an actor, for a trial, nothing is logged. */
  private async create(facts: Partial<Account>, actor?: Actor) {
    const account = newAccount({ id: randomUUID(), ...facts });
    const { key, issued } = newKey(account.id);
    if (!(await this.accounts.createAccount(account, key))) return undefined;
    this.lookups.remember(key.digest);
    if (actor) this.log('account.created', actor, account.id, key.id);
    return issued;
  }

  /** Takes the id of an account, or its e-mail address in any case. */
  find(idOrEmail: string): Promise<Account | undefined> {
    return this.accounts.findAccount(normalisedEmail(idOrEmail));
  }

  /**
   * Yields all accounts but trials, by e-mail address. It reads pages of 500, so any number takes the same
   * memory.
   */
  async *listAccounts(): AsyncGenerator<Account, void> {
    let page: Account[] | undefined;
    do {
      page = await this.accounts.listAccounts(ACCOUNTS_PER_PAGE, page?.at(-1)?.email);
      yield* page;
    } while (page.length === ACCOUNTS_PER_PAGE);
  }

  /** Adds a key to an account, unless it has MAX_ACTIVE_KEYS. */
  async issueKey(accountId: string, actor: Actor): Promise<IssuedKey | 'no_account' | 'too_many'> {
    const { key, issued } = newKey(accountId);
    const outcome = await this.accounts.addKey(key);
    if (outcome !== 'added') return outcome;
    this.log('key.created', actor, accountId, key.id);
    this.lookups.remember(key.digest);
    return issued;
  }

  /** Returns a page of keys, oldest first, and where the next page begins; `next` is undefined on the last one. */
  async listKeys(accountId: string, after?: KeyPosition) {
    const keys = await this.accounts.listKeys(accountId, KEYS_PER_PAGE + 1, after);
    const next = keys.length > KEYS_PER_PAGE ? keys[KEYS_PER_PAGE - 1] : undefined;
    return { keys: keys.slice(0, KEYS_PER_PAGE), next };
  }

  /** Revokes a key. Returns false if no active key has this id, or if it belongs to an account other than `accountId`. */
  async revokeKey(keyId: string, actor: Actor, accountId?: string): Promise<boolean> {
    const owner = isId(keyId) ? await this.accounts.revokeKey(keyId, new Date(), accountId) : undefined;
    if (owner !== undefined) this.log('key.revoked', actor, owner, keyId);
    return owner !== undefined;
  }

  /** Returns false if there is no such account. Suspending acts on every replica from the next request on. */
  async setStatus(accountId: string, status: AccountStatus, actor: Actor): Promise<boolean> {
    const isDone = await this.accounts.setStatus(accountId, status);
    if (isDone) this.log(status === 'active' ? 'account.resumed' : 'account.suspended', actor, accountId);
    return isDone;
  }

  private log(event: AccountEvent, actor: Actor, accountId: string, keyId?: string) {
    this.logger.info({ ...actor, accountId, keyId }, event);
  }
}
