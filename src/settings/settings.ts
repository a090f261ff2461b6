/**
 * What a deployment can set, in one table: name, default, meaning. Read once at start, checked as a
 * whole (every fault is reported, not the first), and frozen.
 */
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { ENGINE_NAMES, type EngineName } from '../compression/application/codecs.port';
import {
  EFFORTS,
  KEPT_METADATA,
  QUALITY_TARGETS,
  type CompressionPolicy,
} from '../compression/domain/compression-policy';

/** One mebibyte in bytes: upload limits are stated in MB and meant as the larger, binary unit. */
const MEBIBYTE = 1024 * 1024;

/** A photo of 12 megapixels takes some 2.6 s of a core: eight are done well within the deadline of 30 s. */
const QUEUED_PER_WORKER = 8;

const integer = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be from ${min} to ${max}`);

const decimal = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+(\.\d+)?$/, 'must be a number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be from ${min} to ${max}`);

const quality = z
  .string()
  .transform((text) => (Object.hasOwn(QUALITY_TARGETS, text) ? QUALITY_TARGETS[text as never] : Number(text)))
  .refine(
    (score) => score >= 0.9 && score < 1,
    `must be one of ${Object.keys(QUALITY_TARGETS).join(', ')}, or a score from 0.9 to 0.9999`,
  );

const databaseUrl = z
  .string()
  .regex(
    /^(sqlite:.+|postgres(ql)?:\/\/.+)$/,
    'must be sqlite:<file> or postgres://user:password@host/database',
  );

const isAddress = (text: string) => {
  const [address, bits, ...more] = text.trim().split('/');
  const most = isIP(address) === 4 ? 32 : 128;
  const isMask = !bits || (/^\d+$/.test(bits) && Number(bits) <= most);
  return isIP(address) > 0 && more.length === 0 && isMask;
};

const trustProxy = z
  .string()
  .refine(
    (text) => /^(off|on|\d+|loopback|linklocal|uniquelocal)$/.test(text) || text.split(',').every(isAddress),
    'must be off, on, a number of hops, or addresses of proxies',
  )
  .transform((text) =>
    text === 'off' ? false : text === 'on' ? true : /^\d+$/.test(text) ? Number(text) : text,
  );

const environment = z.object({
  PORT: integer(0, 65535).prefault('3000').describe('TCP port; 0 picks a free one'),
  HOST: z.string().min(1).prefault('0.0.0.0').describe('address to listen on'),
  DATABASE_URL: databaseUrl.prefault('sqlite:./data/service.db').describe('accounts and keys'),
  MAX_UPLOAD_MB: decimal(0.001, 1024).prefault('20').describe('largest image file accepted, in MiB'),
  MAX_DIMENSION_PX: integer(16, 16384)
    .prefault('3840')
    .describe('longer side; above it images are scaled down'),
  MAX_PIXELS_MP: decimal(0.01, 4096).prefault('268').describe('refused above, read from the header'),
  RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000).prefault('20').describe('per account; 0 = off'),
  SIGNUP: z.enum(['open', 'invite', 'closed']).prefault('open').describe('who may sign up over HTTP'),
  SIGNUP_CODE: z
    .string()
    .min(8, 'must have at least 8 characters')
    .optional()
    .describe('what SIGNUP=invite asks for'),
  SIGNUP_LIMIT_PER_HOUR: integer(0, 1_000_000)
    .prefault('100')
    .describe('sign-ups per client address; 0 = off'),
  QUALITY: quality.prefault('high').describe('what the result has to look like'),
  CODEC_ENGINE: z
    .enum(ENGINE_NAMES)
    .prefault('native')
    .describe('native: compiled codecs; squoosh: WebAssembly, nothing native'),
  EFFORT: z.enum(EFFORTS).prefault('balanced').describe('time against bytes; the quality is the same'),
  PNG_MODE: z
    .enum(['auto', 'lossless'])
    .prefault('auto')
    .describe('auto: a palette where that cannot be seen; lossless: never'),
  KEEP_METADATA: z.enum(KEPT_METADATA).prefault('none').describe('what a rewritten file keeps of it'),
  MIN_SAVINGS_PERCENT: decimal(0, 100).prefault('2').describe('a smaller gain is not worth a rewrite'),
  WORKERS: integer(1, 256).prefault(String(availableParallelism())).describe('compression processes'),
  QUEUE_LIMIT: integer(0, 10_000).optional().describe('images waiting for a worker; above: 503; 8 a worker'),
  DEADLINE_MS: integer(100, 3_600_000).prefault('30000').describe('from arrival to answer; above: 503'),
  SHUTDOWN_TIMEOUT_MS: integer(0, 3_600_000)
    .prefault('35000')
    .describe('how long a stop waits for running work'),
  TRUST_PROXY: trustProxy.prefault('off').describe('whose X-Forwarded-For gives the client address'),
  CORS_ORIGINS: z.string().optional().describe('origins that browsers may call from, separated by commas'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .prefault('info')
    .describe('least level'),
});

/** What must not be repeated in messages: these carry passwords and codes. */
const SECRETS = new Set(['DATABASE_URL', 'SIGNUP_CODE']);

/** Names from the published contract that this version reads nothing from: setting one earns a warning. */
const NOT_YET_READ = ['REDIS_URL', 'METRICS_PORT', 'WEB'];

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly maxUploadBytes: number;
  readonly rateLimitPerMinute: number;
  readonly signup: {
    readonly mode: 'open' | 'invite' | 'closed';
    readonly code?: string;
    readonly perHour: number;
  };
  readonly codecEngine: EngineName;
  readonly policy: CompressionPolicy;
  readonly pool: { readonly workers: number; readonly queueLimit: number; readonly deadlineMs: number };
  readonly shutdownTimeoutMs: number;
  readonly trustProxy: boolean | number | string;
  readonly corsOrigins: readonly string[];
  readonly logLevel: string;
  /** Plain sentences about settings that are present and have no effect. */
  readonly warnings: readonly string[];
}

/** Injection token: the frozen settings of this process. */
export const SETTINGS = Symbol('Settings');

/** Everything that is wrong with the environment, one sentence each. */
export class SettingsFault extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`The environment has ${faults.length} fault(s):\n${faults.map((f) => `  - ${f}`).join('\n')}`);
  }
}

/**
 * Reads and checks the environment.
 * @throws SettingsFault naming every variable that is wrong.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  // An empty value means "not set": compose files and shells produce it for variables left blank.
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = environment.safeParse(present);
  const faults = parsed.success
    ? []
    : parsed.error.issues.map((issue) => {
        const name = String(issue.path[0]);
        return `${name}${SECRETS.has(name) ? '' : `=${present[name] ?? ''}`}: ${issue.message}`;
      });
  if (present['SIGNUP'] === 'invite' && !present['SIGNUP_CODE']) {
    faults.push('SIGNUP=invite needs SIGNUP_CODE, the code that people have to give');
  }
  if (!parsed.success || faults.length > 0) throw new SettingsFault(faults);

  const e = parsed.data;
  return Object.freeze({
    host: e.HOST,
    port: e.PORT,
    databaseUrl: e.DATABASE_URL,
    maxUploadBytes: Math.floor(e.MAX_UPLOAD_MB * MEBIBYTE),
    rateLimitPerMinute: e.RATE_LIMIT_PER_MINUTE,
    signup: {
      mode: e.SIGNUP,
      perHour: e.SIGNUP_LIMIT_PER_HOUR,
      ...(e.SIGNUP_CODE ? { code: e.SIGNUP_CODE } : {}),
    },
    codecEngine: e.CODEC_ENGINE,
    policy: {
      maxDimensionPx: e.MAX_DIMENSION_PX,
      maxPixels: Math.floor(e.MAX_PIXELS_MP * 1e6),
      targetScore: e.QUALITY,
      effort: e.EFFORT,
      pngMode: e.PNG_MODE,
      minSavingsRatio: e.MIN_SAVINGS_PERCENT / 100,
      keepMetadata: e.KEEP_METADATA,
    },
    pool: {
      workers: e.WORKERS,
      queueLimit: e.QUEUE_LIMIT ?? e.WORKERS * QUEUED_PER_WORKER,
      deadlineMs: e.DEADLINE_MS,
    },
    shutdownTimeoutMs: e.SHUTDOWN_TIMEOUT_MS,
    trustProxy: e.TRUST_PROXY,
    corsOrigins: (e.CORS_ORIGINS ?? '')
      .split(',')
      .map((origin) => origin.trim())
      .filter(Boolean),
    logLevel: e.LOG_LEVEL,
    warnings: NOT_YET_READ.filter((name) => present[name]).map(
      (name) => `${name} is set, but this version does not read it`,
    ),
  });
}
