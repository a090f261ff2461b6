/** The settings of a process: read once at start, checked as a whole (every fault is reported, not the first), frozen. */
import type { EngineName } from '../compression/application/codecs.port';
import type { CompressionPolicy } from '../compression/domain/compression-policy';
import { environment, QUEUED_PER_WORKER } from './environment';
import { MEBIBYTE } from './values';

/** What must not be repeated in messages: these carry passwords and codes. */
const SECRETS = new Set(['DATABASE_URL', 'REDIS_URL', 'SIGNUP_CODE']);

export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
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
  readonly metricsPort: number | undefined;
  /** Halves of the memory budget: bodies and results in the service, pixels in its workers. */
  readonly memory: { readonly uploadBytes: number; readonly pixelBytes: number };
  /** How long new images are still taken after SIGTERM, while readiness fails already. */
  readonly shutdownGraceMs: number;
  readonly shutdownTimeoutMs: number;
  readonly trustProxy: boolean | number | string;
  readonly corsOrigins: readonly string[];
  /** Whether the page at / is served. */
  readonly web: boolean;
  readonly logLevel: string;
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
  const e = checked(present);
  return Object.freeze({
    host: e.HOST,
    port: e.PORT,
    databaseUrl: e.DATABASE_URL,
    redisUrl: e.REDIS_URL,
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
    metricsPort: e.METRICS_PORT,
    memory: {
      uploadBytes: (e.MEMORY_BUDGET_MB * MEBIBYTE) / 2,
      pixelBytes: (e.MEMORY_BUDGET_MB * MEBIBYTE) / 2,
    },
    shutdownGraceMs: e.SHUTDOWN_GRACE_MS,
    trustProxy: e.TRUST_PROXY,
    corsOrigins: (e.CORS_ORIGINS ?? '')
      .split(',')
      .map((origin) => origin.trim())
      .filter(Boolean),
    web: e.WEB === 'on',
    logLevel: e.LOG_LEVEL,
  });
}

function checked(present: Readonly<Record<string, string | undefined>>) {
  const parsed = environment.safeParse(present);
  const faults = (parsed.error?.issues ?? []).map((issue) => {
    const name = String(issue.path[0]);
    return `${name}${SECRETS.has(name) ? '' : `=${present[name] ?? ''}`}: ${issue.message}`;
  });
  if (present['SIGNUP'] === 'invite' && !present['SIGNUP_CODE']) {
    faults.push('SIGNUP=invite needs SIGNUP_CODE, the code that people have to give');
  }
  if (!parsed.success || faults.length > 0) throw new SettingsFault(faults);
  return parsed.data;
}
