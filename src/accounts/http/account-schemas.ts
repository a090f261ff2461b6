/** The JSON of the account routes: the request body, the response bodies, and an example of each. */
import type { ResponseObject, SchemaObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import { headers } from '../../contract/headers';

/** The JSON body of a sign-up. A `code` that is not a string is ignored. */
export const signUpBody = z.object({
  email: z.string().max(254).meta({ format: 'email' }),
  code: z.string().optional().catch(undefined).describe('The invitation code, if sign-up needs one.'),
});

const text = z.string();
const id = (description: string) => text.meta({ format: 'uuid', description });
const moment = (description: string) => text.meta({ format: 'date-time', description });
const month = (description: string) => text.regex(/^2\d{3}-(0[1-9]|1[0-2])$/).describe(description);
const count = (description: string, least = 0) => z.int().min(least).describe(description);
const apiKey = text
  .regex(/^ics_[0-9A-Za-z]{33}$/)
  .describe('The API key. It is shown only once; the service stores only its digest.');

const listedKey = z.object({
  keyId: id('The key.'),
  displayPrefix: text.describe('The beginning of the key.'),
  createdAt: moment('When the key was created.'),
  revokedAt: moment('').nullable().describe('When the key was revoked; null if it is active.'),
});

export const ACCOUNT_SCHEMAS = {
  IssuedKey: schemaOf(
    z
      .object({
        accountId: id('The account that the key belongs to.'),
        keyId: id('Identifies the key, for example to revoke it.'),
        apiKey,
      })
      .describe('A new API key.'),
  ),
  IssuedTrial: schemaOf(
    z
      .object({
        accountId: id('The trial account.'),
        keyId: id('The key.'),
        apiKey,
        images: count('Images that may be compressed.', 1),
        expiresAt: moment('When the key stops working.'),
      })
      .describe('A newly created trial account.'),
  ),
  Account: schemaOf(
    z.object({
      accountId: id('The account.'),
      email: text.meta({ format: 'email' }).nullable().describe('Null for a trial.'),
      status: z.enum(['active', 'suspended']),
      createdAt: moment('When the account was created.'),
      usage: z.object({
        images: count('Images returned with status 200.'),
        bytesIn: count('Size of their uploaded files in bytes.'),
        bytesSaved: count('Bytes saved on them.'),
      }),
      trial: z
        .object({
          imagesLeft: count('Images that may still be compressed.'),
          expiresAt: moment('When the keys of the account stop working.'),
        })
        .nullable()
        .describe('Null for an account that was signed up for.'),
    }),
  ),
  UsageList: schemaOf(
    z.object({
      accountId: id('The account.'),
      from: month('The first month.'),
      to: month('The last month.'),
      usage: z.array(
        z.object({
          month: month('The month, in UTC.'),
          keyId: id('The key that was used.'),
          images: count('Images returned with status 200.'),
          bytesIn: count('Size of their uploaded files in bytes.'),
          bytesSaved: count('Bytes saved on them.'),
          variants: count('How many of the images are variants of sets.'),
        }),
      ),
      next: text.nullable().describe('The value of `after` for the next page; null on the last page.'),
    }),
  ),
  KeyList: schemaOf(
    z.object({
      keys: z.array(listedKey),
      next: text.nullable().describe('The value of `after` for the next page; null on the last page.'),
    }),
  ),
};

const EXAMPLE_ACCOUNT_ID = '6f1c2a3e-52f4-4c53-9c0d-6f0f3f6f7a10';
const EXAMPLE_KEY_ID = 'b7a4c9d2-1f0e-4f7b-8a55-2d7c7f1f4c21';

/** An example of each response body, by schema. */
export const ACCOUNT_EXAMPLES = {
  IssuedKey: {
    accountId: EXAMPLE_ACCOUNT_ID,
    keyId: EXAMPLE_KEY_ID,
    apiKey: 'ics_SRpU8EFPonYNkhQmbcGATRlxB3L2oZh03',
  },
  IssuedTrial: {
    accountId: EXAMPLE_ACCOUNT_ID,
    keyId: EXAMPLE_KEY_ID,
    apiKey: 'ics_SRpU8EFPonYNkhQmbcGATRlxB3L2oZh03',
    images: 10,
    expiresAt: '2026-03-03T09:14:07.512Z',
  },
  Account: {
    accountId: EXAMPLE_ACCOUNT_ID,
    email: 'you@example.com',
    status: 'active',
    createdAt: '2026-03-02T09:14:07.512Z',
    usage: { images: 1284, bytesIn: 4_113_802_119, bytesSaved: 2_871_440_906 },
    trial: null,
  },
  UsageList: {
    accountId: EXAMPLE_ACCOUNT_ID,
    from: '2026-01',
    to: '2026-11',
    usage: [
      {
        month: '2026-11',
        keyId: EXAMPLE_KEY_ID,
        images: 1284,
        bytesIn: 4_113_802_119,
        bytesSaved: 2_871_440_906,
        variants: 0,
      },
    ],
    next: null,
  },
  KeyList: {
    keys: [
      {
        keyId: EXAMPLE_KEY_ID,
        displayPrefix: 'ics_SRpU8E',
        createdAt: '2026-03-02T09:14:07.512Z',
        revokedAt: null,
      },
    ],
    next: null,
  },
};

/** Returns a response with an example of the schema. */
export const jsonResponse = (description: string, schema: keyof typeof ACCOUNT_EXAMPLES): ResponseObject => ({
  description,
  headers: headers([]),
  content: {
    'application/json': {
      schema: { $ref: `#/components/schemas/${schema}` },
      example: ACCOUNT_EXAMPLES[schema],
    },
  },
});

/** Returns the schema as OpenAPI shows it: the members of an object come last, and `null` is one of the types. */
function schemaOf(body: z.ZodType): SchemaObject {
  const arranged = (_name: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const { type, anyOf, required, properties, ...facts } = value as SchemaObject;
    if (anyOf)
      return arranged('', { ...anyOf[0], ...facts, type: [(anyOf[0] as SchemaObject).type, 'null'] });
    // zod states the largest safe integer as the maximum, which means no limit.
    return { type, ...facts, required, properties, maximum: undefined, $schema: undefined };
  };
  return JSON.parse(JSON.stringify(z.toJSONSchema(body, { io: 'input' }), arranged)) as SchemaObject;
}
