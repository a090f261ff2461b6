/**
 * The routes of accounts, trials, keys and usage. Handlers check their parameters and turn outcomes into
 * problems; AccountsService and UsageService decide. Every route with a key has a rate limit, because each
 * one queries the database.
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Ip,
  Param,
  Post,
  Query,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor';
import * as problem from '../../contract/account-problems';
import { unknownOption } from '../../contract/option-problems';
import { AccountRoutesRateLimitGuard, SignupLimit } from '../../rate-limit/limits';
import { RateLimitSettings } from '../../rate-limit/rate-limit.settings';
import { AccountsService, type IssuedTrial } from '../application/accounts.service';
import type { IssuedKey } from '../domain/api-key';
import { isMonth, parseRange } from '../domain/usage';
import { UsageService } from '../application/usage.service';
import type { KeyPosition, UsagePosition } from '../application/account-repository.port';
import { isId, MAX_ACTIVE_KEYS, newAccount } from '../domain/account';
import type { Caller } from '../../contract/caller';
import { AccountsSettings } from '../accounts.settings';
import { ApiKeyGuard, CurrentCaller } from './account.guards';
import { signUpBody } from './account-schemas';

@Controller('api/v1')
export class AccountsController {
  constructor(
    private readonly settings: AccountsSettings,
    private readonly limits: RateLimitSettings,
    private readonly accounts: AccountsService,
    private readonly usage: UsageService,
    private readonly limit: SignupLimit,
  ) {}

  /** Reads only JSON bodies; browsers send JSON to another origin only after a preflight. */
  @Post('accounts')
  @UseInterceptors(JsonBodyInterceptor)
  async signUp(@Body() body: unknown, @Ip() ip: string): Promise<IssuedKey> {
    if (this.settings.signup.mode === 'closed') throw problem.signupClosed();
    const { data } = signUpBody.safeParse(body);
    if (!data) throw problem.emailMissing();
    return this.limit.within(ip, async () => {
      const result = await this.accounts.signUp(data.email, { actor: 'visitor', address: ip });
      if (result === 'invalid_email') throw problem.emailInvalid();
      if (result === 'exists') throw problem.accountExists();
      return result;
    });
  }

  /** A trial needs no e-mail address: the page opens one for each visitor. Counted per address, together with sign-ups. */
  @Post('trials')
  async openTrial(@Headers() headers: IncomingHttpHeaders, @Ip() ip: string): Promise<IssuedTrial> {
    const { origin, 'sec-fetch-site': site, 'content-type': type = '' } = headers;
    const isBrowser = origin !== undefined || site !== undefined;
    // Browsers send this type to another origin only after a preflight, which CORS_ORIGINS answers.
    if (isBrowser && !/^application\/json\s*(;|$)/i.test(type)) throw problem.trialNotAsJson();
    const { mode, trialImages } = this.settings.signup;
    if (mode !== 'open' || trialImages === 0) throw problem.noTrials();
    return this.limit.within(ip, () => this.accounts.openTrial(trialImages));
  }

  @Get('account')
  @UseGuards(ApiKeyGuard, AccountRoutesRateLimitGuard)
  async account(@CurrentCaller() { accountId, name, isUnlimited = false }: Caller) {
    await this.usage.flush();
    const unused = name === undefined ? undefined : newAccount({ id: accountId, email: name });
    const account = (await this.accounts.find(accountId)) ?? unused;
    if (!account) throw problem.accountNotFound();
    const { id, email = null, status, createdAt, usage, trial = null } = account;
    const imagesPerMinute = (!isUnlimited && this.limits.imagesPerMinute) || null;
    return { accountId: id, email, status, createdAt, usage, imagesPerMinute, trial };
  }

  @Get('account/usage')
  @UseGuards(ApiKeyGuard, AccountRoutesRateLimitGuard)
  async listUsage(@CurrentCaller() { accountId }: Caller, @Query() query: Readonly<Record<string, unknown>>) {
    const { from, to, after } = known(query, ['from', 'to', 'after']);
    const range = parseRange(monthIn('from', from), monthIn('to', to), new Date());
    if (range.from > range.to) throw problem.reversedMonths();
    const { usage, next } = await this.usage.page(accountId, range, usagePositionIn(after));
    return { accountId, ...range, usage, next: next ? `${next.month}_${next.keyId}` : null };
  }

  @Get('account/keys')
  @UseGuards(ApiKeyGuard, AccountRoutesRateLimitGuard)
  async keys(@CurrentCaller() { accountId }: Caller, @Query() query: Readonly<Record<string, unknown>>) {
    const { after } = known(query, ['after']);
    const { keys, next } = await this.accounts.listKeys(accountId, keyPositionIn(after));
    return {
      keys: keys.map(({ id, displayPrefix, createdAt, revokedAt = null }) => ({
        keyId: id,
        displayPrefix,
        createdAt,
        revokedAt,
      })),
      next: next ? `${next.createdAt.getTime()}_${next.id}` : null,
    };
  }

  @Post('account/keys')
  @UseGuards(ApiKeyGuard, AccountRoutesRateLimitGuard)
  async issueKey(
    @CurrentCaller() { accountId, keyId, name }: Caller,
    @Ip() address: string,
  ): Promise<IssuedKey> {
    if (name !== undefined) throw problem.keysConfigured();
    const result = await this.accounts.issueKey(accountId, { actor: `key:${keyId}`, address });
    if (result === 'no_account') throw problem.accountNotFound();
    if (result === 'too_many') throw problem.tooManyKeys(MAX_ACTIVE_KEYS);
    return result;
  }

  @Delete('account/keys/:id')
  @HttpCode(204)
  @UseGuards(ApiKeyGuard, AccountRoutesRateLimitGuard)
  async revokeKey(
    @CurrentCaller() { accountId, keyId: own }: Caller,
    @Param('id') keyId: string,
    @Ip() address: string,
  ): Promise<void> {
    if (!(await this.accounts.revokeKey(keyId, { actor: `key:${own}`, address }, accountId))) {
      throw problem.noSuchKey();
    }
  }
}

/** @throws Problem `invalid_request` for an unknown parameter */
function known(query: Readonly<Record<string, unknown>>, names: readonly string[]) {
  const other = Object.keys(query).find((name) => !names.includes(name));
  if (other !== undefined) throw unknownOption(other, names);
  return query;
}

/** From the creation time of a key in ms and its id. */
function keyPositionIn(cursor: unknown): KeyPosition | undefined {
  if (cursor === undefined) return undefined;
  // Fourteen digits reach the year 5138. SQLite compares dates as text, so the year must have four digits.
  const [, milliseconds, id = ''] = (typeof cursor === 'string' && /^(\d{1,14})_(.+)$/.exec(cursor)) || [];
  if (!isId(id)) throw problem.invalidCursor();
  return { createdAt: new Date(Number(milliseconds)), id };
}

function usagePositionIn(cursor: unknown): UsagePosition | undefined {
  if (cursor === undefined) return undefined;
  const [month, keyId = ''] = typeof cursor === 'string' ? cursor.split('_') : [];
  if (!isMonth(month) || !isId(keyId)) throw problem.invalidCursor();
  return { month, keyId };
}

function monthIn(parameter: string, value: unknown) {
  if (value === undefined || isMonth(value)) return value;
  throw problem.invalidMonth(parameter);
}
