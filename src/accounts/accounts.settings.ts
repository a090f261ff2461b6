import { z } from 'zod';
import { choice, integer, settingsSlice, type SettingsOf } from '../environment/settings-slice';

/** Injection token: AccountsSettings. */
export const ACCOUNTS_SETTINGS = Symbol('AccountsSettings');

/** The largest quota per month; it fits a 32-bit column. */
export const MAX_QUOTA_IMAGES = 1_000_000_000;

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
      .describe('images of a trial within a day; only with SIGNUP=open; 0 = off'),
    QUOTA_IMAGES_PER_MONTH: integer(0, MAX_QUOTA_IMAGES)
      .prefault('0')
      .describe('images per account in a calendar month, unless it has its own quota; 0 = off'),
    USAGE_MONTHS: integer(1, 1200)
      .prefault('24')
      .describe('months for which usage by month is kept, the current one included'),
    AUDIT_DAYS: integer(1, 36_500).prefault('365').describe('days for which the audit trail is kept'),
  },
  read: (e) => ({
    databaseUrl: e.DATABASE_URL,
    databaseConnections: e.DATABASE_CONNECTIONS,
    quotaImages: e.QUOTA_IMAGES_PER_MONTH,
    usageMonths: e.USAGE_MONTHS,
    auditDays: e.AUDIT_DAYS,
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

export type AccountsSettings = SettingsOf<typeof accountsSlice>;
