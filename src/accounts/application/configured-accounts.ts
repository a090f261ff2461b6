/** Accounts without a sign-up: those of API_KEYS_FILE, and with AUTH=off one for each client address. */
import { readFileSync } from 'node:fs';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { errorMessage } from '../../contract/problem';
import { SettingsFault } from '../../environment/settings-slice';
import { LOGGER } from '../../observability/logging';
import { ACCOUNTS_SETTINGS, type AccountsSettings } from '../accounts.settings';
import { configuredName } from '../domain/account';
import type { Caller } from '../../contract/caller';
import { digestKey, idFrom } from '../domain/api-key';

const LINE = /^([\w.-]{1,64})\s+(?:sha256:([\da-f]{64})|(?!sha256:)([\x21-\x7e]{32,256}))$/i;
const RULE =
  'must be a name of letters, digits, ".", "_" and "-", then a key of 32 to 256 printable characters without spaces, or "sha256:" and the digest of the key in hexadecimal';

/**
 * Reads API_KEYS_FILE at start, and again on SIGHUP, so that keys change without a restart. Look-ups need no
 * database.
 */
@Injectable()
export class ConfiguredAccounts implements OnModuleInit, OnModuleDestroy {
  private callers: ReadonlyMap<string, Caller> = new Map();

  constructor(
    @Inject(ACCOUNTS_SETTINGS) private readonly settings: AccountsSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws SettingsFault that lists every faulty line of the file */
  onModuleInit(): void {
    const { apiKeysFile, needsKey } = this.settings;
    if (!needsKey)
      this.logger.warn('AUTH=off: any client that reaches this service can use it without a key');
    if (apiKeysFile === undefined) return;
    this.callers = readKeys(apiKeysFile);
    process.on('SIGHUP', this.readAgain);
  }

  onModuleDestroy(): void {
    process.off('SIGHUP', this.readAgain);
  }

  /** Returns the account of a key, by the SHA-256 of the key in hexadecimal. */
  findByDigest(digest: string): Caller | undefined {
    return this.callers.get(digest);
  }

  /** Returns the account of a client address with AUTH=off; undefined where keys are needed. */
  anonymousAt(address: string): Caller | undefined {
    return this.settings.needsKey ? undefined : callerNamed(`anonymous-${address.replace(/[^\w.]+/g, '-')}`);
  }

  /** Keeps the keys that it has if the file has a fault. */
  private readonly readAgain = (): void => {
    try {
      this.callers = readKeys(this.settings.apiKeysFile ?? '');
      this.logger.info({ keys: this.callers.size }, 'API_KEYS_FILE was read again');
    } catch (error) {
      this.logger.error(`API_KEYS_FILE was not read again. ${errorMessage(error)}`);
    }
  };
}

/** Ids are derived from name and key, so usage is counted under the same ids after a restart and on every replica. */
function callerNamed(name: string, digest = ''): Caller {
  const accountId = idFrom(name);
  return {
    accountId,
    shareKey: accountId,
    keyId: idFrom(`${name} ${digest}`),
    isTrial: false,
    name: configuredName(name),
  };
}

/** Several keys may have the same name: they belong to one account. */
function readKeys(file: string): ReadonlyMap<string, Caller> {
  const fault = (rule: string) => ({ variable: 'API_KEYS_FILE', value: file, rule });
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    throw new SettingsFault([fault(`cannot be read (${(error as NodeJS.ErrnoException).code})`)]);
  }
  const callers = new Map<string, Caller>();
  const faults = lines.flatMap((line, i) => {
    const text = line.replace(/(^|\s)#.*/, '').trim();
    if (text === '') return [];
    const [, name, hash, key = ''] = LINE.exec(text) ?? [];
    if (!name) return [fault(`line ${i + 1} ${RULE}`)];
    const digest = hash ? hash.toLowerCase() : digestKey(key);
    if (callers.has(digest)) return [fault(`line ${i + 1} has the key of an earlier line`)];
    callers.set(digest, callerNamed(name, digest));
    return [];
  });
  if (faults.length > 0) throw new SettingsFault(faults);
  return callers;
}
