import { z } from 'zod';
import { REMOVED_SETTINGS } from '../contract/removed';
import { integer, settingsSlice, type SettingsOf } from '../environment/settings-slice';

/** Injection token: AccountsSettings. */
export const ACCOUNTS_SETTINGS = Symbol('AccountsSettings');

const SIGNUP = ['open', 'closed'] as const;
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
    SIGNUP: z
      .enum(SIGNUP, {
        error: ({ input }) =>
          input === 'invite' ? REMOVED_SETTINGS['SIGNUP_CODE'] : `must be one of ${SIGNUP.join(', ')}`,
      })
      .prefault('open')
      .describe('who may sign up over HTTP'),
    TRIAL_IMAGES: integer(0, 10_000)
      .prefault('10')
      .describe('images of a trial within a day; only with SIGNUP=open; 0 = off'),
  },
  read: (e) => ({
    databaseUrl: e.DATABASE_URL,
    databaseConnections: e.DATABASE_CONNECTIONS,
    signup: { mode: e.SIGNUP, trialImages: e.TRIAL_IMAGES },
  }),
});

export type AccountsSettings = SettingsOf<typeof accountsSlice>;
