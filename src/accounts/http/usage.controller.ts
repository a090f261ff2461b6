import { Controller, Get, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { invalidCursor, invalidMonth } from '../../contract/account-problems';
import { AccountRoutesRateLimitGuard } from '../../rate-limit/limit-guards';
import type { Caller } from '../application/authenticator';
import { UsageReader } from '../application/usage-reader';
import type { UsagePosition } from '../application/usage-repository.port';
import { isId } from '../domain/account';
import { csvLine, isMonth, rangeOf, type MonthRange } from '../domain/usage';
import { ApiKeyGuard, CurrentCaller } from './account.guards';

type UsageQuery = Readonly<Partial<Record<'from' | 'to' | 'after', unknown>>>;

/** The usage of an account by month and key. */
@Controller('api/v1/account/usage')
export class UsageController {
  constructor(private readonly usage: UsageReader) {}

  @Get()
  @UseGuards(ApiKeyGuard, AccountRoutesRateLimitGuard)
  async list(
    @CurrentCaller() { accountId }: Caller,
    @Query() { from, to, after }: UsageQuery,
    @Req() req: Request,
    @Res({ passthrough: true }) res: Response,
  ) {
    const range = rangeOf(monthIn('from', from), monthIn('to', to), new Date());
    const { usage, next } = await this.usage.page(accountId, range, positionIn(after));
    const cursor = next ? `${next.month}_${next.keyId}` : null;
    res.vary('Accept');
    if (req.accepts(['application/json', 'text/csv']) !== 'text/csv') {
      return { accountId, ...range, usage, next: cursor };
    }
    res.type('text/csv');
    if (cursor) res.setHeader('Link', `<${pathOf(range, cursor)}>; rel="next"`);
    const columns = ['month', 'keyId', 'images', 'bytesIn', 'bytesSaved', 'variants'] as const;
    return csvLine(columns) + usage.map((row) => csvLine(columns.map((column) => row[column]))).join('');
  }
}

/** @throws Problem `invalid_request` */
function monthIn(parameter: string, value: unknown): string | undefined {
  if (value === undefined || isMonth(value)) return value;
  throw invalidMonth(parameter);
}

/** @throws Problem `invalid_request` */
function positionIn(cursor: unknown): UsagePosition | undefined {
  if (cursor === undefined) return undefined;
  const [month, keyId = ''] = typeof cursor === 'string' ? cursor.split('_') : [];
  if (!isMonth(month) || !isId(keyId)) throw invalidCursor();
  return { month, keyId };
}

function pathOf({ from, to }: MonthRange, after: string): string {
  return `/api/v1/account/usage?from=${from}&to=${to}&after=${after}`;
}
