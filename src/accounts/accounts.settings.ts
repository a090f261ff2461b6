import { z } from 'zod';
import { choice, integer, settingsSlice } from '../environment/settings-slice';

export interface AccountsSettings {
  readonly databaseUrl: string;
  /** Maximum number of connections to PostgreSQL. */
  readonly databaseConnections: number;
  readonly signup: {
    readonly mode: 'open' | 'invite' | 'closed';
    /** The invitation code; set with mode `invite`. */
    readonly code?: string;
    /** Images per trial account; 0 if there are no trials. */
    readonly trialImages: number;
  };
}

/** Injection token: AccountsSettings. */
export const ACCOUNTS_SETTINGS = Symbol('AccountsSettings');

const DATABASE_URLS = 'sqlite:<file> or postgres://user:password@host/database';

export const accountsSlice = settingsSlice({
  token: ACCOUNTS_SETTINGS,
  variables: {
    DATABASE_URL: z
      .string()
      .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, `must be ${DATABASE_URLS}`)
      .meta({ accepts: DATABASE_URLS })
      .prefault('sqlite:./data/service.db')
      .describe('database of accounts and keys'),
    DATABASE_CONNECTIONS: integer(1, 100)
      .prefault('5')
      .describe('most connections of this process to PostgreSQL; with TINIFY_API=on as many again'),
    SIGNUP: choice(['open', 'invite', 'closed']).prefault('open').describe('who may sign up over HTTP'),
    SIGNUP_CODE: z
      .string()
      .min(8, 'must have at least 8 characters')
      .optional()
      .describe('invitation code for SIGNUP=invite, 8 characters or more'),
    TRIAL_IMAGES: integer(0, 10_000)
      .prefault('10')
      .describe(
        'images that a visitor of the page may compress without signing up, within a day; only with SIGNUP=open; 0 = off',
      ),
  },
  read: (e): AccountsSettings => ({
    databaseUrl: e.DATABASE_URL,
    databaseConnections: e.DATABASE_CONNECTIONS,
    signup: {
      mode: e.SIGNUP,
      trialImages: e.TRIAL_IMAGES,
      ...(e.SIGNUP_CODE ? { code: e.SIGNUP_CODE } : {}),
    },
  }),
  conflicts: ({ SIGNUP: mode, SIGNUP_CODE: code }) =>
    mode === 'invite' && !code
      ? [{ variable: 'SIGNUP', value: mode, rule: 'needs SIGNUP_CODE, the invitation code' }]
      : [],
});
