import { Injectable, createParamDecorator, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Problem } from '../../operations/problem';
import { Authenticator, type Caller } from '../application/authenticator';

/** Lets only holders of a live key of an active account pass; nothing of the body is read before. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(private readonly authenticator: Authenticator) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const req = context.switchToHttp().getRequest<Request>();
    const verdict = await this.authenticator.verify(presentedKey(req));
    switch (verdict.kind) {
      case 'accepted':
        req.context.caller = verdict.caller;
        return true;
      case 'suspended':
        req.context.caller = verdict.caller;
        throw new Problem(
          'account_suspended',
          'This account has been suspended; ask the operator of the service.',
        );
      case 'malformed':
        throw new Problem('invalid_api_key', 'This is not an API key; check that it was copied completely.');
      case 'unknown':
      case 'revoked':
        throw new Problem('invalid_api_key', 'This API key is unknown or has been revoked; use another one.');
    }
  }
}

/** Who is calling, on a route behind ApiKeyGuard. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = context.switchToHttp().getRequest<Request>().context;
  if (!caller) throw new Error('CurrentCaller needs the ApiKeyGuard on the same route');
  return caller;
});

/**
 * The key in `Authorization: Bearer` (RFC 6750; the scheme's name is case-insensitive) or `X-API-Key`.
 * @throws Problem when there is none, or when the headers, repeated ones included, disagree.
 */
function presentedKey({ headersDistinct }: Request): string {
  const bearers = (headersDistinct['authorization'] ?? []).map(
    (value) => /^bearer +(\S+) *$/i.exec(value)?.[1],
  );
  if (bearers.includes(undefined)) {
    throw new Problem('invalid_api_key', 'The Authorization header must read "Bearer" and the API key.');
  }
  const own = (headersDistinct['x-api-key'] ?? []).map((value) => value.trim());
  const keys = new Set([...bearers, ...own].filter(Boolean));
  if (keys.size > 1) {
    throw new Problem('conflicting_credentials', 'The headers carry different API keys; send one of them.');
  }
  const [presented] = keys;
  if (!presented) {
    throw new Problem(
      'missing_api_key',
      'Send an API key as "Authorization: Bearer <key>" or "X-API-Key: <key>"; POST /api/v1/accounts gives one.',
    );
  }
  return presented;
}
