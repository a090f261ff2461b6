/** A worker process. It exits when the service closes the pipe (file descriptor 3). */
import { Socket } from 'node:net';
import { getHeapStatistics } from 'node:v8';
import { sourceFormat } from '../../../contract/formats';
import { compressUpload } from '../../application/recipe';
import { compareImages } from '../../application/comparing/compare-images';
import { measureUpload, readUpload } from '../../application/read-upload';
import { Stopwatch, TimeLimit } from '../../application/context';
import { keepableMemory } from '../../domain/memory-demand';
import { ImageRefused } from '../../../contract/image-problems';
import { errorMessage } from '../../../contract/problem';
import { PackageFailed } from '../../packages/codec-package';
import { loadCodecs } from '../codecs/engines';
import { FrameChannel, type Frame } from './frame-channel';
import { MAX_FAULT, type WorkerReply, type WorkerRequest } from './worker-messages';

/** Less garbage waits: a collection takes 10 ms, and makes the next image compile code again, which takes about 0.1 s of processor time. */
const KEPT_GARBAGE = 32 * 1024 * 1024;
/** After this time without an image, a worker releases the memory that its codecs keep. Under load the next image comes sooner. */
const IDLE_MS = 500;

// Ctrl+C signals the whole process group, but the service decides when its workers stop, by closing the pipe.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

// The arguments are the engine and the paths of packages that add formats: see compressingWith.
const [, , engineName, ...formatModules] = process.argv;
const pipe = new Socket({ fd: 3 });
const channel = new FrameChannel(pipe, (frame) => void handle(frame));
const engine = loadCodecs(engineName, formatModules, (path) => reply({ kind: 'loading', path }));
pipe.on('close', () => process.exit());
pipe.on('error', () => process.exit(0));
let idle: NodeJS.Timeout | undefined;
/** External memory after the last collection. */
let bytesInUse = 0;
engine.then(
  ({ notices = [] }) => reply({ kind: 'ready', notices }),
  (error: unknown) => {
    process.exitCode = 1;
    reply({ kind: 'unusable', reason: errorMessage(missingLibrary(error) ?? error) });
    pipe.end();
  },
);

async function handle({ header, body }: Frame) {
  clearTimeout(idle);
  try {
    await answer(header as WorkerRequest, body);
  } catch (error) {
    if (error instanceof ImageRefused) {
      const { reason, message, numbers, fault } = error;
      reply({ kind: 'refused', reason, message, numbers, ...(fault && { fault }) });
    } else replyFailed(error);
  }
  dropPixels();
  idle = setTimeout(() => void release(0), IDLE_MS);
}

const NOTHING = new Uint8Array();
/** The upload that was measured last: the request to compress it follows, without it. */
let measured: Uint8Array = NOTHING;

async function answer(request: WorkerRequest, body: Uint8Array) {
  const codecs = await engine;
  if (request.kind === 'measure') {
    measured = body;
    const { width, height } = await measureUpload(body, codecs);
    return reply({ kind: 'measure', width, height });
  }
  const { policy, uploadBytes, trialMs = Infinity } = request;
  const endOfTrials = performance.now() + trialMs;
  const timeLimit = new TimeLimit(() => endOfTrials - performance.now());
  const upload = body.length > 0 ? body.subarray(0, uploadBytes) : measured;
  measured = NOTHING;
  if (!sourceFormat(upload)) await release(0);
  const context = { engine: codecs, policy, stopwatch: new Stopwatch(processorMs), timeLimit };
  if (request.kind === 'compare') {
    await release(0);
    const { bytes, report } = await compareImages(
      upload,
      body.subarray(uploadBytes),
      context,
      request.wantsMap,
    );
    return reply({ kind: 'compare', report }, bytes);
  }
  const read = await readUpload(upload, context);
  if ('source' in read) await release(keepableMemory(read.source, read.context.policy, codecs.knownFormats));
  const { bytes, report } = await compressUpload(read);
  reply({ kind: 'compress', report }, report.skipReason ? undefined : bytes);
}

/** The sandbox gets the library that the dynamic linker names. */
function missingLibrary(error: unknown): Error | undefined {
  if (!(error instanceof Error)) return undefined;
  return /\.so\b/.test(error.message) ? error : missingLibrary(error.cause);
}

/** A clock that stands still while the process is suspended. */
function processorMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function replyFailed(error: unknown) {
  const isOfPackage = error instanceof PackageFailed;
  const bug = isOfPackage ? (error.cause ?? error) : error;
  const stack = bug instanceof Error ? String(bug.stack) : String(bug);
  reply({ kind: 'failed', stack, ...(isOfPackage && { fault: error.message.slice(0, MAX_FAULT) }) });
}

/** The estimate of the next image has room for `maxBytes`. */
async function release(maxBytes: number) {
  const { added = [], ...own } = await engine;
  const released = [own, ...added].map(({ releaseMemory }) => releaseMemory?.(maxBytes));
  if (released.includes(true)) globalThis.gc?.();
}

/** Pixels are outside the JavaScript heap: without a call an idle worker keeps about 500 MB after a large image. */
function dropPixels() {
  const isWorthIt = externalBytes() > bytesInUse + KEPT_GARBAGE;
  if (isWorthIt) globalThis.gc?.();
  if (isWorthIt || externalBytes() < bytesInUse) bytesInUse = externalBytes();
}

/** process.memoryUsage() would need /proc. */
function externalBytes() {
  return getHeapStatistics().external_memory;
}

function reply(message: WorkerReply, body?: Uint8Array) {
  channel.send(message, ...(body ? [body] : []));
}
