/**
 * The settings that decide who may use the service: the database, sign-up, keys from a file, and trials. A
 * relative path is resolved from the folder of the user.
 */
import { z } from 'zod';
import { REMOVED_SETTINGS } from '../contract/removed';
import { choice, integer, settingsSlice, userPath } from '../environment/settings-slice';

const SIGNUP = ['open', 'closed'] as const;
const DATABASE_URLS = 'sqlite:<file> or postgres://user:password@host/database';

export class AccountsSettings extends settingsSlice({
  variables: {
    DATABASE_URL: z
      .string()
      .regex(/^(sqlite:.+|postgres(ql)?:\/\/.+)$/, `must be ${DATABASE_URLS}`)
      .meta({ accepts: DATABASE_URLS })
      .prefault('sqlite:./data/service.db')
      .describe('database of accounts, keys and outputs of TINIFY_API'),
    DATABASE_CONNECTIONS: integer(1, 100)
      .prefault('5')
      .describe('most connections of this process to PostgreSQL'),
    SIGNUP: z
      .enum(SIGNUP, {
        error: ({ input }) =>
          input === 'invite' ? REMOVED_SETTINGS['SIGNUP_CODE'] : `must be one of ${SIGNUP.join(', ')}`,
      })
      .prefault('open')
      .meta({ description: 'who may sign up over HTTP', decidesAccess: true }),
    API_KEYS_FILE: z.string().transform(userPath).optional().meta({
      description: 'file of keys without a sign-up: a line is "NAME KEY" or "NAME sha256:DIGEST"',
      decidesAccess: true,
    }),
    AUTH: choice(['keys', 'off'])
      .prefault('keys')
      .describe('off: no key is asked for, each client address has an account; implies SIGNUP=closed'),
    TRIAL_IMAGES: integer(0, 10_000)
      .prefault('10')
      .describe('images of a trial within a day; only with SIGNUP=open; 0 = off'),
  },
  read: (e) => ({
    databaseUrl: e.DATABASE_URL,
    databaseConnections: e.DATABASE_CONNECTIONS,
    apiKeysFile: e.API_KEYS_FILE,
    needsKey: e.AUTH === 'keys',
    signup: { mode: e.AUTH === 'off' ? ('closed' as const) : e.SIGNUP, trialImages: e.TRIAL_IMAGES },
  }),
  conflicts: ({ AUTH, SIGNUP: value, API_KEYS_FILE: file = '' }) =>
    AUTH === 'off'
      ? [
          ...(value === 'open'
            ? [{ variable: 'SIGNUP', value, rule: 'cannot be combined with AUTH=off' }]
            : []),
          ...(file ? [{ variable: 'API_KEYS_FILE', value: file, rule: 'has no effect with AUTH=off' }] : []),
        ]
      : [],
}) {}
