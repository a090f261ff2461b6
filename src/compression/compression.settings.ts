import { availableParallelism, totalmem } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { formatChoices, formatsFrom, type AskedFormats } from '../contract/formats';
import { MEBIBYTE } from '../contract/units';
import { choice, decimal, integer, settingsSlice } from '../environment/settings-slice';
import { faultOfModule } from './format-modules';
import { ENGINE_NAMES, type EngineName } from './application/codecs.port';
import {
  EFFORTS,
  KEPT_COMPANIONS,
  KEPT_METADATA,
  LEAST_DIMENSION_PX,
  PNG_MODES,
  QUALITY_TARGETS,
  REFERENCES,
  type CompressionPolicy,
  type DeploymentPolicy,
} from './domain/compression-policy';

export interface CompressionSettings {
  /** Remembered results: in a folder when there is one, otherwise in memory; undefined when the cache is off. */
  readonly cache: { readonly bytes: number; readonly folder: string | undefined } | undefined;
  readonly engine: EngineName;
  /** Absolute paths of modules that add formats. */
  readonly formatModules: readonly string[];
  readonly policy: DeploymentPolicy;
  /** Whether the header `Accept` decides about formats where the request does not. */
  readonly negotiatesFormat: boolean;
  readonly maxUploadBytes: number;
  readonly pool: { readonly workers: number; readonly queueLimit: number; readonly deadlineMs: number };
  /** The two halves of the memory budget: bodies and results in the service, and pixels in its workers. */
  readonly memory: { readonly uploadBytes: number; readonly pixelBytes: number };
}

/** Injection token: CompressionSettings. */
export const COMPRESSION_SETTINGS = Symbol('CompressionSettings');

/** A 12-megapixel photo takes about 1 s of CPU time, so a worker finishes eight within the deadline of 30 s. */
const QUEUED_PER_WORKER = 8;

const TARGETS = `${Object.keys(QUALITY_TARGETS).join(', ')}, or a score from 0.9 to 0.9999`;

/** What qualityTarget accepts, for the OpenAPI document. */
export const QUALITY_PATTERN = `^(${Object.keys(QUALITY_TARGETS).join('|')}|0?\\.9\\d{0,9})$`;

/** A named quality or a score, as the target score. */
export const qualityTarget = z
  .string()
  .transform((text, context) => {
    if (Object.hasOwn(QUALITY_TARGETS, text)) return QUALITY_TARGETS[text as never];
    const score = Number(text);
    if (new RegExp(QUALITY_PATTERN).test(text)) return score;
    const hint = score >= 1 && score <= 100 ? '; it is not the quality of a JPG, from 1 to 100' : '';
    context.addIssue(`must be one of ${TARGETS}${hint}`);
    return z.NEVER;
  })
  .meta({ accepts: TARGETS });

/** Returns half of the memory of the machine, or of the container's limit, in MiB. */
function halfOfTheMemory(): number {
  const limit = process.constrainedMemory();
  const available = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.max(64, Math.floor(available / 2 / MEBIBYTE));
}

const policyVariables = {
  QUALITY: qualityTarget.prefault('high').describe('target for the visual quality of JPGs'),
  EFFORT: choice(EFFORTS)
    .prefault('balanced')
    .describe('how much time to spend on smaller files; the quality is the same'),
  MAX_DIMENSION_PX: integer(LEAST_DIMENSION_PX, 16384)
    .prefault('3840')
    .describe('longer side in pixels; larger images are scaled down'),
  MAX_PIXELS_MP: decimal(0.01, 4096)
    .prefault('268')
    .describe('largest accepted number of megapixels, read from the header'),
  MIN_SAVINGS_PERCENT: decimal(0, 100)
    .prefault('2')
    .describe('smallest saving for which a file is rewritten'),
  // Before FORMAT, which may name what the modules add.
  FORMAT_MODULES: z
    .string()
    .transform((text, context) => {
      const paths = text === 'none' ? [] : text.split(',');
      for (const path of paths) {
        const fault = faultOfModule(path);
        if (fault) context.addIssue(fault);
      }
      return paths.map((path) => resolve(path));
    })
    .prefault('none')
    .describe('CommonJS modules that add formats of results, separated by commas: see docs/adding-a-codec.md')
    .meta({ accepts: 'none, or paths' }),
  FORMAT: z
    .string()
    .transform((text, context) => {
      const formats = formatsFrom(text);
      if (formats) return formats;
      context.addIssue(`must be ${formatChoices()}`);
      return z.NEVER;
    })
    .prefault('same')
    .describe(
      'format of results where the request does not say; same: that of the upload; auto: the smallest of that and those that Accept names; or formats, of which the smallest is used',
    )
    .meta({ accepts: 'same, auto, or formats separated by commas: jpeg, png, webp, avif' }),
  PNG_MODE: choice(PNG_MODES)
    .prefault('auto')
    .describe(
      'which invisible losses are allowed; auto: a palette, or channel values changed by a few of 255; palette: only a palette; lossless: none',
    ),
  REFERENCE: choice(REFERENCES)
    .prefault('upload')
    .describe(
      'what the loss of a JPG is measured against; upload: the uploaded file, while the total loss of all codings stays within that of QUALITY=low; original: the losses of earlier codings count towards QUALITY',
    ),
  KEEP_METADATA: choice(KEPT_METADATA)
    .prefault('none')
    .describe(
      'which metadata a rewritten file keeps; copyright: author and copyright; all: everything that is still true',
    ),
  KEEP_COMPANIONS: choice(KEPT_COMPANIONS)
    .prefault('gain-map')
    .describe(
      'which data after the image of a JPG are kept; gain-map: HDR gain maps, but no videos or further images; none: nothing; all: files with a video or further images are returned unchanged',
    ),
};

const poolVariables = {
  CODEC_ENGINE: choice(ENGINE_NAMES)
    .prefault('native')
    .describe(
      'native: native codecs; squoosh: only WebAssembly and JavaScript, several times slower, without palettes, lossless rewrites of JPGs and colour management of CMYK',
    ),
  WORKERS: integer(1, 256)
    .prefault(String(availableParallelism()))
    .meta({ description: 'worker processes that compress images', shownDefault: 'number of cores' }),
  QUEUE_LIMIT: integer(0, 10_000)
    .optional()
    .meta({
      description:
        'images that may wait for a worker; above: 503. A 12-megapixel photo takes about 1 s of CPU time, so the default is processed within the deadline',
      shownDefault: `${QUEUED_PER_WORKER} a worker`,
    }),
  DEADLINE_MS: integer(100, 3_600_000)
    .prefault('30000')
    .describe(
      'longest time from the end of the upload to the response; above: 503. The default is half the timeout of common proxies',
    ),
  MAX_UPLOAD_MB: decimal(0.001, 1024).prefault('20').describe('largest accepted image file, in MiB'),
  MEMORY_BUDGET_MB: integer(32, 1_048_576).prefault(String(halfOfTheMemory())).meta({
    description:
      'memory for images in MiB: half for uploads and results (above: 503), half for the pixels of images in progress (above: images wait)',
    shownDefault: 'half of the memory of the machine or container',
  }),
};

const cacheVariables = {
  CACHE_MB: z
    .string()
    .transform((text, context) => {
      if (text === 'off') return undefined;
      const mebibytes = integer(1, 1_048_576).safeParse(text);
      if (mebibytes.success) return mebibytes.data;
      context.addIssue('must be off, or an integer from 1 to 1048576');
      return z.NEVER;
    })
    .prefault('off')
    .describe(
      'size of the cache of results in MiB: the same bytes with the same settings are compressed once; in memory, in addition to MEMORY_BUDGET_MB, unless CACHE_DIR is set',
    )
    .meta({ accepts: 'off, or 1 to 1048576' }),
  CACHE_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('folder of the cache, for this service alone; replicas may share it'),
};

/** Without a header to name them, `auto` accepts what current browsers show. */
const SHOWN_BY_BROWSERS = ['same', 'avif', 'webp'] as const;

function formatsOf(asked: AskedFormats): Pick<CompressionPolicy, 'formats'> {
  if (asked === 'auto') return { formats: SHOWN_BY_BROWSERS };
  return asked.every((format) => format === 'same') ? {} : { formats: asked };
}

export const compressionSlice = settingsSlice({
  token: COMPRESSION_SETTINGS,
  variables: { ...policyVariables, ...poolVariables, ...cacheVariables },
  read: (e): CompressionSettings => ({
    engine: e.CODEC_ENGINE,
    formatModules: e.FORMAT_MODULES,
    policy: {
      maxDimensionPx: e.MAX_DIMENSION_PX,
      maxPixels: Math.floor(e.MAX_PIXELS_MP * 1e6),
      targetScore: e.QUALITY,
      effort: e.EFFORT,
      pngMode: e.PNG_MODE,
      minSavingsRatio: e.MIN_SAVINGS_PERCENT / 100,
      keepMetadata: e.KEEP_METADATA,
      reference: e.REFERENCE,
      keepCompanions: e.KEEP_COMPANIONS,
      ...formatsOf(e.FORMAT),
    },
    negotiatesFormat: e.FORMAT === 'auto',
    maxUploadBytes: Math.floor(e.MAX_UPLOAD_MB * MEBIBYTE),
    cache: e.CACHE_MB === undefined ? undefined : { bytes: e.CACHE_MB * MEBIBYTE, folder: e.CACHE_DIR },
    pool: {
      workers: e.WORKERS,
      queueLimit: e.QUEUE_LIMIT ?? e.WORKERS * QUEUED_PER_WORKER,
      deadlineMs: e.DEADLINE_MS,
    },
    memory: {
      uploadBytes: (e.MEMORY_BUDGET_MB * MEBIBYTE) / 2,
      pixelBytes: (e.MEMORY_BUDGET_MB * MEBIBYTE) / 2,
    },
  }),
  conflicts: ({ CACHE_DIR: folder, CACHE_MB: size = 'off' }) =>
    folder && size === 'off' ? ['CACHE_DIR needs CACHE_MB, the size that the cache may have'] : [],
});
