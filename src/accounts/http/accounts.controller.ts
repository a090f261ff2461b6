import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Inject,
  Param,
  Post,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { JsonBodyInterceptor } from '../../operations/json-body.interceptor';
import { Problem } from '../../operations/problem';
import { SignupRateLimitGuard } from '../../rate-limit/signup-rate-limit.guard';
import { SETTINGS, type Settings } from '../../settings/settings';
import { AccountsService, type IssuedKey } from '../application/accounts.service';
import { UsageRecorder } from '../application/usage-recorder';
import type { Caller } from '../application/authenticator';
import type { StoredKey } from '../domain/account';
import { ApiKeyGuard, CurrentCaller } from './api-key.guard';

/** Signing up, and looking after one's own keys. */
@Controller('api/v1')
export class AccountsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly accounts: AccountsService,
    private readonly usage: UsageRecorder,
  ) {}

  @Post('accounts')
  @UseGuards(SignupRateLimitGuard)
  @UseInterceptors(JsonBodyInterceptor)
  async signUp(@Body() body: unknown): Promise<IssuedKey> {
    const { email, code } = (body ?? {}) as { email?: unknown; code?: unknown };
    this.checkSignupIsOpen(code);
    if (typeof email !== 'string') {
      throw new Problem('invalid_request', 'Send JSON with an e-mail address: {"email": "you@example.com"}.');
    }
    const result = await this.accounts.signUp(email);
    switch (result.kind) {
      case 'created':
        return result.issued;
      case 'invalid_email':
        throw new Problem('invalid_request', 'This is not an e-mail address.');
      case 'exists':
        throw new Problem(
          'account_exists',
          'There is an account for this e-mail address; use one of its keys.',
        );
    }
  }

  @Get('account')
  @UseGuards(ApiKeyGuard)
  async account(@CurrentCaller() { accountId }: Caller) {
    await this.usage.flush();
    const account = await this.accounts.find(accountId);
    if (!account) throw new Problem('not_found', 'The account is gone.');
    const { id, email, status, createdAt, usage } = account;
    return { accountId: id, email, status, createdAt, usage };
  }

  @Get('account/keys')
  @UseGuards(ApiKeyGuard)
  async keys(@CurrentCaller() { accountId }: Caller) {
    const keys = await this.accounts.listKeys(accountId);
    return { keys: keys.map(shown) };
  }

  @Post('account/keys')
  @UseGuards(ApiKeyGuard)
  async issueKey(@CurrentCaller() { accountId }: Caller): Promise<IssuedKey> {
    const issued = await this.accounts.issueKey(accountId);
    if (!issued) throw new Problem('not_found', 'The account is gone.');
    return issued;
  }

  @Delete('account/keys/:id')
  @HttpCode(204)
  @UseGuards(ApiKeyGuard)
  async revokeKey(@CurrentCaller() { accountId }: Caller, @Param('id') keyId: string): Promise<void> {
    if (!(await this.accounts.revokeKey(keyId, accountId))) {
      throw new Problem('not_found', 'This account has no live key with this id.');
    }
  }

  private checkSignupIsOpen(code: unknown): void {
    const { signup } = this.settings;
    if (signup.mode === 'closed') {
      throw new Problem('signup_closed', 'Accounts are opened by the operator of this service only.');
    }
    if (signup.mode === 'invite' && code !== signup.code) {
      throw new Problem('signup_closed', 'Sign-up is by invitation: send the invitation as "code".');
    }
  }
}

function shown({ id, displayPrefix, createdAt, revokedAt }: StoredKey) {
  return { keyId: id, displayPrefix, createdAt, revokedAt: revokedAt ?? null };
}
