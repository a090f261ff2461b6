/** What a deployment can set, in one table: name, kind of value, default, meaning. */
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { ENGINE_NAMES } from '../compression/application/codecs.port';
import { EFFORTS, KEPT_METADATA } from '../compression/domain/compression-policy';
import { databaseUrl, decimal, halfOfTheMemory, integer, quality, trustProxy } from './values';

/** A photo of 12 megapixels takes some 2.6 s of a core: eight are done well within the deadline of 30 s. */
export const QUEUED_PER_WORKER = 8;

/** Described for people in docs/configuration.md, which is made from this table. */
export const environment = z.object({
  PORT: integer(0, 65535).prefault('3000').describe('TCP port; 0 picks a free one'),
  HOST: z.string().min(1).prefault('0.0.0.0').describe('address to listen on'),
  DATABASE_URL: databaseUrl.prefault('sqlite:./data/service.db').describe('accounts and keys'),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\/.+$/, 'must be redis://user:password@host or rediss://…')
    .optional()
    .describe('rate limits shared by replicas; none: each process counts for itself'),
  MAX_UPLOAD_MB: decimal(0.001, 1024).prefault('20').describe('largest image file accepted, in MiB'),
  MAX_DIMENSION_PX: integer(16, 16384)
    .prefault('3840')
    .describe('longer side; above it images are scaled down'),
  MAX_PIXELS_MP: decimal(0.01, 4096).prefault('268').describe('refused above, read from the header'),
  RATE_LIMIT_PER_MINUTE: integer(0, 1_000_000)
    .prefault('20')
    .describe('images of an account, over a sliding minute; 0 = off'),
  SIGNUP: z.enum(['open', 'invite', 'closed']).prefault('open').describe('who may sign up over HTTP'),
  SIGNUP_CODE: z
    .string()
    .min(8, 'must have at least 8 characters')
    .optional()
    .describe('what SIGNUP=invite asks for; 8 characters or more'),
  SIGNUP_LIMIT_PER_HOUR: integer(0, 1_000_000)
    .prefault('100')
    .describe('sign-ups per client address; 0 = off'),
  QUALITY: quality.prefault('high').describe('what the result has to look like'),
  CODEC_ENGINE: z
    .enum(ENGINE_NAMES)
    .prefault('native')
    .describe(
      'native: compiled codecs; squoosh: WebAssembly and JavaScript only, several times slower, no palettes, no lossless rewriting of JPGs and no colour management for CMYK',
    ),
  EFFORT: z.enum(EFFORTS).prefault('balanced').describe('time against bytes; the quality is the same'),
  PNG_MODE: z
    .enum(['auto', 'lossless'])
    .prefault('auto')
    .describe('auto: a palette where that cannot be seen; lossless: never'),
  KEEP_METADATA: z
    .enum(KEPT_METADATA)
    .prefault('none')
    .describe(
      'what a rewritten file keeps of it; copyright: who made and owns it; all: everything that is still true of it',
    ),
  MIN_SAVINGS_PERCENT: decimal(0, 100).prefault('2').describe('a smaller gain is not worth a rewrite'),
  WORKERS: integer(1, 256)
    .prefault(String(availableParallelism()))
    .meta({ description: 'processes that compress', shownDefault: 'number of cores' }),
  QUEUE_LIMIT: integer(0, 10_000)
    .optional()
    .meta({
      description:
        'images that wait for a worker; above: 503. A photo of 12 megapixels takes about 2.6 s of a core, so a full queue is worked off within the deadline',
      shownDefault: `${QUEUED_PER_WORKER} a worker`,
    }),
  MEMORY_BUDGET_MB: integer(32, 1_048_576).prefault(String(halfOfTheMemory())).meta({
    description:
      'MiB for images in flight: half for uploads and results (above: 503), half for pixels in work (above: they wait)',
    shownDefault: 'half of the memory of the machine or container',
  }),
  DEADLINE_MS: integer(100, 3_600_000)
    .prefault('30000')
    .describe(
      'from the arrival of the image to its answer, waiting included; above: 503. Half of what common proxies wait',
    ),
  METRICS_PORT: z
    .union([z.literal('off').transform(() => undefined), integer(0, 65535)])
    .prefault('off')
    .describe('GET /metrics for Prometheus, on a port of its own; 0 picks a free one')
    .meta({ accepts: 'off, or 0 to 65535' }),
  SHUTDOWN_GRACE_MS: integer(0, 600_000)
    .prefault('0')
    .describe('after SIGTERM: not ready, but still serving, until proxies have noticed'),
  SHUTDOWN_TIMEOUT_MS: integer(0, 3_600_000)
    .prefault('35000')
    .describe('how long a stop waits for what was accepted'),
  TRUST_PROXY: trustProxy.prefault('off').describe('whose X-Forwarded-For gives the client address'),
  CORS_ORIGINS: z.string().optional().describe('origins that browsers may call from, separated by commas'),
  WEB: z.enum(['on', 'off']).prefault('on').describe('the page for people at /'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
    .prefault('info')
    .describe('least level'),
});
