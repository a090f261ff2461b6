/** Runs one input through the real recipe in a worker; what the contract does not define is a finding. */
import { join } from 'node:path';
import jpegJs from 'jpeg-js';
import { PNG } from 'pngjs';
import sharp from 'sharp';
import { root } from '../../scripts/prepare.mjs';
import { load, policy as defaultPolicy } from '../bench/support.mjs';
import { workersOf, forgetPeak, peakMegabytes } from '../support/process-memory.cjs';

const { Worker } = load('compression/infrastructure/process/worker.js');
const { ImageRefused } = load('contract/image-problems.js');
const ENTRY = join(root, 'dist', 'compression', 'infrastructure', 'process', 'worker-process.js');

const PATIENCE_MS = 20_000;
/** Limit of a worker's resident set, for images of at most 4 megapixels. See docs/limits.md. */
const MAX_MEGABYTES = { native: 700, squoosh: 1_200 };
/** Number of inputs between valid images, which must not be affected by damaged ones. */
const INPUTS_PER_CHECK = 20;
/** A worker is replaced after this many inputs, because its memory varies with them. */
const INPUTS_PER_WORKER = 500;
const SURPLUS_DATA = /read requests waitng on finished stream/;
const REFUSALS = [
  'unsupported_media_type',
  'undecodable_image',
  'too_many_pixels',
  'budget_unreachable',
  'cannot_convert',
];

class Finding extends Error {
  constructor(kind, detail) {
    super(`${kind}: ${detail}`);
    this.kind = kind;
    /** Findings with the same signature are the same: the location without numbers. */
    this.signature = `${kind}: ${String(detail).split('\n').slice(0, 2).join(' ').replace(/\d+/g, 'N')}`;
  }
}

export class Trials {
  /** @param good valid images that must be compressed regardless of earlier inputs */
  constructor(engine, good = []) {
    this.engine = engine;
    this.good = good.map((bytes) => ({ bytes }));
  }

  async run(bytes, policy) {
    const answer = await this.ask(bytes, policy);
    if (this.inputs % INPUTS_PER_CHECK !== 0) return answer;
    for (const good of this.good) await this.checkGood(good);
    return answer;
  }

  /** Compresses a valid image under a fixed policy; its result must not depend on what came before. */
  async checkGood(good) {
    const settings = { ...defaultPolicy, minSavingsRatio: 0 };
    let result;
    const outcome = await this.ask(good.bytes, settings, ({ bytes }) => (result = Buffer.from(bytes)));
    if (outcome !== 'done') {
      this.end();
      throw new Finding('spoilt', `a good picture got ${outcome} from a worker that had met damaged ones`);
    }
    good.result ??= result;
    if (!result.equals(good.result))
      throw new Finding('varies', 'a good picture got other bytes than before');
  }

  /** @returns the outcome: `done`, a skip reason, or a code. @throws Finding */
  async ask(bytes, policy, onResult = () => undefined) {
    const worker = await this.readyWorker();
    const pid = workersOf(process.pid)[0];
    if (pid) forgetPeak(pid);
    let timer;
    const patience = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Finding('no answer', `after ${PATIENCE_MS} ms`)), PATIENCE_MS);
    });
    try {
      const result = await Promise.race([
        worker.perform({ kind: 'compress', image: bytes, policy }, LIMITS),
        patience,
      ]);
      onResult(result);
      return await verdictOn(bytes, result);
    } catch (error) {
      return verdictOnError(error);
    } finally {
      clearTimeout(timer);
      this.inputs++;
      const peak = pid ? peakMegabytes(pid) : undefined;
      this.most = Math.max(this.most ?? 0, peak ?? 0);
      if (peak > MAX_MEGABYTES[this.engine]) {
        this.end();
        throw new Finding('memory', `${peak.toFixed(0)} MB in the worker`);
      }
      if (worker.hasEnded || worker.running) this.end();
    }
  }

  end() {
    this.worker?.kill();
    delete this.worker;
  }

  async readyWorker() {
    if (this.worker && this.inputs >= INPUTS_PER_WORKER) this.end();
    if (!this.worker) {
      this.inputs = 0;
      await new Promise((resolve, reject) => {
        const events = {
          onLoaded: resolve,
          onExit: (_, cause) => reject(new Error(`No worker: ${cause}`)),
        };
        this.worker = new Worker([ENTRY, this.engine], false, events);
      });
    }
    return this.worker;
  }
}

/** The memory is judged by the peak. */
const LIMITS = { deadlineAt: Infinity, maxGrowthBytes: Infinity, admit: () => undefined };

function verdictOnError(error) {
  if (error instanceof Finding) throw error;
  if (error instanceof ImageRefused) {
    if (!REFUSALS.includes(error.code)) throw new Finding('unknown code', error.code);
    if (!/^[A-Z0-9].*\.$/.test(error.message)) throw new Finding('not a sentence', error.message);
    return error.code;
  }
  if (error.reason === 'worker_lost') throw new Finding('crash', 'the worker ended');
  throw new Finding('failed', error.stack);
}

async function verdictOn(input, { bytes, report }) {
  const { dimensions, originalDimensions, score, skipReason, quality, compressedSize, bytesSaved } = report;
  if (skipReason) {
    if (!Buffer.from(bytes).equals(input)) throw new Finding('skipped, but changed', skipReason);
    return skipReason;
  }
  const isScaled =
    dimensions.width !== originalDimensions.width || dimensions.height !== originalDimensions.height;
  const isConverted = report.format !== (input[0] === 0x89 ? 'png' : 'jpeg');
  if (!isScaled && !isConverted && bytes.length >= input.length)
    throw new Finding('larger', `${input.length}, ${bytes.length}`);
  if (compressedSize !== bytes.length || bytesSaved !== Math.max(0, input.length - bytes.length))
    throw new Finding('wrong sizes', JSON.stringify(report));
  if (!(score >= 0 && score <= 1)) throw new Finding('wrong score', String(score));
  if (report.format === 'jpeg' && !(quality >= 1 && quality <= 100))
    throw new Finding('wrong quality', quality);
  const { width, height } = await decoded(bytes, input);
  // A lossless rewrite keeps the stored samples and the orientation tag.
  const isUpright = width === dimensions.width && height === dimensions.height;
  const isTurned = width === dimensions.height && height === dimensions.width && score === 1;
  if (!isUpright && !isTurned)
    throw new Finding('wrong size', `${width} x ${height}, reported ${JSON.stringify(dimensions)}`);
  return 'done';
}

/** Decodes with libraries that the native engine does not use. */
async function decoded(bytes, input) {
  const isJpegOrPng = bytes[0] === 0x89 || bytes[0] === 0xff;
  if (!isJpegOrPng) {
    await sharp(bytes, { failOn: 'error' }).stats();
    return sharp(bytes).metadata();
  }
  try {
    return decodedStrictly(bytes);
  } catch (error) {
    if (!isTolerated(error, input)) throw new Finding('does not decode', error.message);
    // A copy without private metadata is as damaged as the file was.
    if (await isSound(input)) await sharp(bytes, { failOn: 'error' }).stats();
    return sharp(bytes).metadata();
  }
}

function isSound(bytes) {
  return sharp(bytes, { failOn: 'error' })
    .stats()
    .then(
      () => true,
      () => false,
    );
}

function decodedStrictly(bytes) {
  if (bytes[0] === 0x89) return PNG.sync.read(Buffer.from(bytes));
  return jpegJs.decode(bytes, { useTArray: true, maxMemoryUsageInMB: 2048, tolerantDecoding: true });
}

/** A rewrite may keep a fault that stops jpeg-js or pngjs, but no viewer, if they refuse the input, too. */
function isTolerated({ message }, input) {
  return SURPLUS_DATA.test(message) || !isStrictlyValid(input);
}

function isStrictlyValid(bytes) {
  try {
    return Boolean(decodedStrictly(bytes));
  } catch {
    return false;
  }
}
