/** Accounts without a sign-up: those of API_KEYS_FILE, and with AUTH=off one for each client address. */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { errorMessage } from '../../contract/problem';
import { SettingsFault } from '../../environment/settings-slice';
import { CONFIGURED_KEY_LENGTH, HiddenKeys } from '../../observability/hidden-keys';
import { LOGGER } from '../../observability/logging';
import { AccountsSettings } from '../accounts.settings';
import { configuredName } from '../domain/account';
import type { Caller } from '../../contract/caller';
import { digestKey, idFrom } from '../domain/api-key';

const { min, max } = CONFIGURED_KEY_LENGTH;
const LINE = new RegExp(
  String.raw`^([\w.-]{1,64})\s+(?:sha256:([\da-f]{64})|(?!sha256:)([\x21-\x7e]{${min},${max}}))$`,
  'i',
);
const RULE = `must be a name of letters, digits, ".", "_" and "-", then a key of ${min} to ${max} printable characters without spaces, or "sha256:" and the digest of the key in hexadecimal`;

const READABLE_BY_ALL = 0o004;
/** A line of /proc/self/mountinfo whose file or folder is mounted read-only. */
const READ_ONLY_MOUNT = /^(?:\S+ ){4}(\S+) ro\b/gm;
const MOUNT_INFO = '/proc/self/mountinfo';

/**
 * Reads API_KEYS_FILE at start, and again on SIGHUP, so that keys change without a restart. Look-ups need no
 * database.
 */
@Injectable()
export class ConfiguredAccounts implements OnModuleInit, OnModuleDestroy {
  private callers: ReadonlyMap<string, Caller> = new Map();

  constructor(
    private readonly settings: AccountsSettings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly hiddenKeys: HiddenKeys,
  ) {}

  /** @throws SettingsFault that lists every faulty line of the file */
  onModuleInit() {
    const { apiKeysFile, needsKey } = this.settings;
    if (!needsKey)
      this.logger.warn('AUTH=off: any client that reaches this service can use it without a key');
    if (apiKeysFile === undefined) return;
    this.callers = this.read(apiKeysFile);
    this.hiddenKeys.isConfigured = (text) => this.callers.has(digestKey(text));
    process.on('SIGHUP', this.readAgain);
  }

  onModuleDestroy() {
    process.off('SIGHUP', this.readAgain);
  }

  get hasFile(): boolean {
    return this.settings.apiKeysFile !== undefined;
  }

  /** Whether others may have accounts that they create. */
  get offersSignup(): boolean {
    return this.settings.signup.mode === 'open';
  }

  /** Returns the account of a key, by the SHA-256 of the key in hexadecimal. */
  findByDigest(digest: string): Caller | undefined {
    return this.callers.get(digest);
  }

  /** Returns the account of a client address with AUTH=off; undefined where keys are needed. */
  anonymousAt(address: string): Caller | undefined {
    return this.settings.needsKey ? undefined : callerNamed(`anonymous-${address.replace(/[^\w.]+/g, '-')}`);
  }

  private read(file: string): ReadonlyMap<string, Caller> {
    const text = readText(file);
    // An editor leaves a file without content for a moment.
    if (text === '' && this.callers.size > 0)
      throw new SettingsFault([faultOf(file, 'is empty; to revoke all keys, leave a comment in it')]);
    const callers = readKeys(file, text);
    if (isOpenToAll(file))
      this.logger.warn(`API_KEYS_FILE: every user of this machine can read the keys; run chmod o-r ${file}`);
    return callers;
  }

  /** Keeps the keys that it has if the file has a fault. */
  private readonly readAgain = () => {
    try {
      this.callers = this.read(this.settings.apiKeysFile ?? '');
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

const faultOf = (file: string, rule: string) => ({ variable: 'API_KEYS_FILE', value: file, rule });

/** A pipe would block the process until another one writes into it. */
function readText(file: string) {
  let rule = 'must be a regular file';
  try {
    if (statSync(file).isFile()) return readFileSync(file, 'utf8');
  } catch (error) {
    rule = `cannot be read (${(error as NodeJS.ErrnoException).code})`;
  }
  throw new SettingsFault([faultOf(file, rule)]);
}

/** Returns whether other users can read the file. Those of Docker and Kubernetes have secrets of mode 0444 and 0644. */
function isOpenToAll(file: string) {
  const isReadable = process.platform !== 'win32' && (statSync(file).mode & READABLE_BY_ALL) !== 0;
  return isReadable && !isMountedSecret(realpathSync(file));
}

/** Kubernetes updates its volumes through links to hidden folders, `..2026_11_27_08_00_00.1`. */
export function isMountedSecret(
  path: string,
  mountInfo = existsSync(MOUNT_INFO) ? readFileSync(MOUNT_INFO, 'utf8') : '',
): boolean {
  const mounts = [...mountInfo.matchAll(READ_ONLY_MOUNT)].map(([, mount]) => mount);
  return /^\/run\/secrets\/|\/\.\./.test(path) || mounts.includes(path) || mounts.includes(dirname(path));
}

/** Several keys may have the same name: they belong to one account. */
function readKeys(file: string, text: string): ReadonlyMap<string, Caller> {
  const fault = (rule: string) => faultOf(file, rule);
  const callers = new Map<string, Caller>();
  const faults = text.split('\n').flatMap((line, i) => {
    const entry = line.replace(/(^|\s)#.*/, '').trim();
    if (entry === '') return [];
    const [, name, hash, key = ''] = LINE.exec(entry) ?? [];
    if (!name) return [fault(`line ${i + 1} ${RULE}`)];
    const digest = hash ? hash.toLowerCase() : digestKey(key);
    if (callers.has(digest)) return [fault(`line ${i + 1} has the key of an earlier line`)];
    callers.set(digest, callerNamed(name, digest));
    return [];
  });
  if (faults.length > 0) throw new SettingsFault(faults);
  return callers;
}
