/** The JSON of the account routes: the request body, the response bodies, and an example of each. */
import type { SchemaObject } from 'openapi3-ts/oas31';
import { z } from 'zod';

/** The JSON body of a sign-up. A `code` that is not a string is ignored. */
export const signUpBody = z.object({
  email: z.string().max(254).meta({ format: 'email' }),
  code: z.string().optional().catch(undefined).describe('The invitation code, if sign-up needs one.'),
});

const id = (description: string): SchemaObject => ({ type: 'string', format: 'uuid', description });
const moment = (description: string): SchemaObject => ({ type: 'string', format: 'date-time', description });

export const ACCOUNT_SCHEMAS: Readonly<Record<string, SchemaObject>> = {
  IssuedKey: {
    type: 'object',
    description: 'A new API key.',
    required: ['accountId', 'keyId', 'apiKey'],
    properties: {
      accountId: id('The account that the key belongs to.'),
      keyId: id('Identifies the key, for example to revoke it.'),
      apiKey: {
        type: 'string',
        pattern: '^ics_[0-9A-Za-z]{33}$',
        description: 'The API key. It is shown only once; the service stores only its digest.',
      },
    },
  },
  IssuedTrial: {
    type: 'object',
    description: 'A newly created trial account.',
    required: ['accountId', 'keyId', 'apiKey', 'images', 'expiresAt'],
    properties: {
      accountId: id('The trial account.'),
      keyId: id('The key.'),
      apiKey: {
        type: 'string',
        pattern: '^ics_[0-9A-Za-z]{33}$',
        description: 'The API key. It is shown only once; the service stores only its digest.',
      },
      images: { type: 'integer', minimum: 1, description: 'Images that may be compressed.' },
      expiresAt: moment('When the key stops working.'),
    },
  },
  Account: {
    type: 'object',
    required: ['accountId', 'email', 'status', 'createdAt', 'usage', 'trial'],
    properties: {
      accountId: id('The account.'),
      email: { type: ['string', 'null'], format: 'email', description: 'Null for a trial.' },
      status: { type: 'string', enum: ['active', 'suspended'] },
      createdAt: moment('When the account was created.'),
      usage: {
        type: 'object',
        required: ['images', 'bytesIn', 'bytesSaved'],
        properties: {
          images: { type: 'integer', minimum: 0, description: 'Images returned with status 200.' },
          bytesIn: { type: 'integer', minimum: 0, description: 'Size of their uploaded files in bytes.' },
          bytesSaved: { type: 'integer', minimum: 0, description: 'Bytes saved on them.' },
        },
      },
      trial: {
        type: ['object', 'null'],
        description: 'Null for an account that was signed up for.',
        required: ['imagesLeft', 'expiresAt'],
        properties: {
          imagesLeft: { type: 'integer', minimum: 0, description: 'Images that may still be compressed.' },
          expiresAt: moment('When the keys of the account stop working.'),
        },
      },
    },
  },
  KeyList: {
    type: 'object',
    required: ['keys', 'next'],
    properties: {
      keys: {
        type: 'array',
        items: {
          type: 'object',
          required: ['keyId', 'displayPrefix', 'createdAt', 'revokedAt'],
          properties: {
            keyId: id('The key.'),
            displayPrefix: { type: 'string', description: 'The beginning of the key.' },
            createdAt: moment('When the key was created.'),
            revokedAt: {
              type: ['string', 'null'],
              format: 'date-time',
              description: 'When the key was revoked; null if it is active.',
            },
          },
        },
      },
      next: {
        type: ['string', 'null'],
        description: 'The value of `after` for the next page; null on the last page.',
      },
    },
  },
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
