/**
 * The settings of compression: the options that requests may replace (options/), and what the process may
 * use: workers, queue, memory, deadline, sandbox.
 */
import { availableParallelism, totalmem } from 'node:os';
import type { Formats } from '../contract/formats';
import { MEBIBYTE } from '../contract/units';
import { choice, decimal, integer, settingsSlice } from '../environment/settings-slice';
import { SANDBOX_MODES } from './application/running/compression-runner.port';
import { chosenBy, optionVariables } from './options/chosen';
import { engine, acceptFormats, text } from './options/values';

/** A 12-megapixel photo takes about 1 s of CPU time, so a worker finishes eight within the deadline of 30 s. */
const QUEUED_PER_WORKER = 8;

/** Maximum memory of a worker for one image, as a multiple of the budget: 3840 × 3840 px need 1542 MB as a WebP with alpha. */
const IMAGE_SHARE = 1.5;

/** Returns half of the memory of the machine, or of the container's limit, in MiB. */
function halfOfTheMemory() {
  const limit = process.constrainedMemory();
  const available = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.max(64, Math.floor(available / 2 / MEBIBYTE));
}

const poolVariables = {
  CODEC_ENGINE: engine
    .prefault('native')
    .describe(
      'squoosh: no native code, slower, and PNGs only without loss; packages: see docs/adding-a-codec.md',
    ),
  WORKERS: integer(1, 256)
    .prefault(String(availableParallelism()))
    .meta({ description: 'worker processes that compress images', shownDefault: 'number of cores' }),
  WORKER_SANDBOX: choice(SANDBOX_MODES)
    .prefault('auto')
    .describe('keeps workers from files, processes and the network: see docs/deploying.md'),
  QUEUE_LIMIT: integer(0, 10_000)
    .optional()
    .meta({
      description: 'images that may wait for a worker; above: 503',
      shownDefault: `${QUEUED_PER_WORKER} a worker`,
    }),
  DEADLINE_MS: integer(100, 3_600_000)
    .prefault('30000')
    .describe('longest time from the end of the upload to the response; above: 503'),
  UPLOAD_FORMATS: text.optional().meta({
    description: 'formats of uploads, such as `jpg,png,webp,avif`; others: 415',
    shownDefault: 'JPG, PNG and what packages read',
  }),
  MAX_UPLOAD_MB: decimal(0.001, 1024).prefault('20').describe('largest accepted image file, in MiB'),
  MEMORY_BUDGET_MB: integer(32, 1_048_576).prefault(String(halfOfTheMemory())).meta({
    description:
      'MiB for images: half for uploads and results (above: 503), half for pixels (above: images wait)',
    shownDefault: 'half of the memory of the machine or container',
  }),
};

export class CompressionSettings extends settingsSlice({
  variables: { ...optionVariables, ...poolVariables },
  read: (e) => ({
    ...chosenBy(e),
    /** `knownFormats` with those as uploads that the service takes. The command line and the library read all. */
    acceptedFormats: acceptUploads(e.FORMAT_MODULES.knownFormats, e.UPLOAD_FORMATS),
    engine: e.CODEC_ENGINE,
    sandbox: e.WORKER_SANDBOX,
    maxUploadBytes: Math.floor(e.MAX_UPLOAD_MB * MEBIBYTE),
    pool: {
      workers: e.WORKERS,
      queueLimit: e.QUEUE_LIMIT ?? e.WORKERS * QUEUED_PER_WORKER,
      deadlineMs: e.DEADLINE_MS,
    },
    memory: {
      /** For bodies and results in the service. */
      uploadBytes: (e.MEMORY_BUDGET_MB * MEBIBYTE) / 2,
      pixelBytes: (e.MEMORY_BUDGET_MB * MEBIBYTE) / 2,
      imageBytes: e.MEMORY_BUDGET_MB * MEBIBYTE * IMAGE_SHARE,
    },
  }),
  conflicts: ({ FORMAT: format = 'same' }, { FORMAT_MODULES, UPLOAD_FORMATS: uploads }) => {
    // Without its packages, the formats are unknown.
    if (!FORMAT_MODULES) return [];
    const { knownFormats: known } = FORMAT_MODULES;
    const error = acceptFormats(known).safeParse(format).error;
    const isUnread = uploads !== undefined && known.uploadsFrom(uploads) === undefined;
    const rule = `must be one or more of ${known.uploads.names.join(', ')}, separated by commas`;
    return [
      ...(error ? [{ variable: 'FORMAT', value: format, rule: error.issues[0].message }] : []),
      ...(isUnread ? [{ variable: 'UPLOAD_FORMATS', value: uploads, rule }] : []),
    ];
  },
}) {}

function acceptUploads(known: Formats, names: string | undefined) {
  return known.accepting(names === undefined ? undefined : known.uploadsFrom(names));
}
