/** The JSON of the account routes: the request body, the response bodies, and an example of each. */
import { z } from 'zod';
import { MONTH_PATTERN } from '../domain/usage';

/** The body of POST /api/v1/accounts. AccountsService checks the form of the address. */
export const signUpBody = z.object({ email: z.string().max(254).meta({ format: 'email' }) });
export const SIGN_UP_EXAMPLE = { email: 'you@example.com' };

const ACCOUNT_ID = '6f1c2a3e-52f4-4c53-9c0d-6f0f3f6f7a10';
const KEY_ID = 'b7a4c9d2-1f0e-4f7b-8a55-2d7c7f1f4c21';
const CREATED_AT = '2026-03-02T09:14:07.512Z';

const text = z.string();
const id = (description: string, example: string) => text.meta({ format: 'uuid', description, example });
const moment = (description: string, example = CREATED_AT) =>
  text.meta({ format: 'date-time', description, example });
const month = (description: string, example: string) =>
  text.regex(MONTH_PATTERN).meta({ description, example });
const count = (description: string, example: number, least = 0) =>
  z.int().min(least).meta({ description, example });
const usage = {
  images: count('Images returned with status 200.', 1284),
  bytesIn: count('Size of their uploaded files in bytes.', 4_113_802_119),
  bytesSaved: count('Bytes saved on them.', 2_871_440_906),
};
const next = text.nullable().meta({
  description: 'The value of `after` for the next page; null on the last page.',
  example: null,
});

const issuedKey = z.object({
  accountId: id('The account that the key belongs to.', ACCOUNT_ID),
  keyId: id('Identifies the key, for example to revoke it.', KEY_ID),
  apiKey: text.regex(/^ics_[0-9A-Za-z]{33}$/).meta({
    description: 'The API key. It is shown only once; the service stores only its digest.',
    example: 'ics_SRpU8EFPonYNkhQmbcGATRlxB3L2oZh03',
  }),
});

export const ACCOUNT_BODIES = {
  IssuedKey: issuedKey.describe('A new API key.'),
  IssuedTrial: issuedKey
    .extend({
      images: count('Images that may be compressed.', 10, 1),
      expiresAt: moment('When the key stops working.', '2026-03-03T09:14:07.512Z'),
    })
    .describe('A newly created trial account.'),
  Account: z.object({
    accountId: id('The account.', ACCOUNT_ID),
    email: text.nullable().meta({
      description: 'Null for a trial. For an account of the configuration: its name and `@configured`.',
      example: 'you@example.com',
    }),
    status: z.enum(['active', 'suspended']).meta({ example: 'active' }),
    createdAt: moment('When the account was created.'),
    usage: z.object(usage),
    imagesPerMinute: z.int().min(1).nullable().meta({
      description: 'Images that the account may send per minute; null without a limit.',
      example: 20,
    }),
    trial: z
      .object({
        imagesLeft: count('Images that may still be compressed.', 10),
        expiresAt: moment('When the keys of the account stop working.'),
      })
      .nullable()
      .meta({ description: 'Null for an account that was signed up for.', example: null }),
  }),
  UsageList: z.object({
    accountId: id('The account.', ACCOUNT_ID),
    from: month('The first month.', '2026-01'),
    to: month('The last month.', '2026-11'),
    usage: z.array(
      z.object({
        month: month('The month, in UTC.', '2026-11'),
        keyId: id('The key that was used.', KEY_ID),
        ...usage,
      }),
    ),
    next,
  }),
  KeyList: z.object({
    keys: z.array(
      z.object({
        keyId: id('The key.', KEY_ID),
        displayPrefix: text.meta({ description: 'The beginning of the key.', example: 'ics_SRpU8E' }),
        createdAt: moment('When the key was created.'),
        revokedAt: moment('')
          .nullable()
          .meta({ description: 'When the key was revoked; null if it is active.', example: null }),
      }),
    ),
    next,
  }),
};

export type AccountBody<Name extends keyof typeof ACCOUNT_BODIES> = z.infer<(typeof ACCOUNT_BODIES)[Name]>;
