/**
 * A worker: a process of its own that compresses one image at a time. A crash or an endless loop inside a codec
 * ends this process and nothing else. It lives as long as the pipe (file descriptor 3) to the service is open.
 */
import { Socket } from 'node:net';
import { compressImage } from '../../application/compress-image';
import type { EngineName } from '../../application/codecs.port';
import { ImageRefused } from '../../domain/refusal';
import { loadEngine } from '../codecs/engines';
import { FrameChannel, type Frame } from './frame-channel';
import type { WorkerReply, WorkerRequest } from './worker-messages';

/** Not worth a collection, which takes some 5 ms. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** What the way back takes, and a little for a step that takes longer than foreseen. */
const RETURN_MS = 100;

// A Ctrl-C reaches the whole process group. The service decides when its workers stop, by closing the pipe.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

// Started by our own service, which names the engine as the only argument.
const engine = loadEngine(process.argv[2] as EngineName);
const pipe = new Socket({ fd: 3 });
const channel = new FrameChannel(pipe, (frame) => void answer(frame));
pipe.on('close', () => process.exit(0));
pipe.on('error', () => process.exit(0));
void engine.then(() => reply({ kind: 'ready' }));

async function answer({ header, body }: Frame): Promise<void> {
  reply({ kind: 'begun' });
  try {
    const { policy, msLeft } = header as WorkerRequest;
    const { bytes, report } = await compressImage(
      body,
      await engine,
      policy,
      (msLeft ?? Infinity) - RETURN_MS,
    );
    reply({ kind: 'done', report }, report.skipReason ? undefined : bytes);
  } catch (error) {
    if (error instanceof ImageRefused) {
      reply({ kind: 'refused', code: error.code, message: error.message, numbers: error.numbers });
    } else {
      reply({ kind: 'failed', stack: error instanceof Error ? String(error.stack) : String(error) });
    }
  }
  dropPixels();
}

/**
 * The pictures of a finished job are garbage now, but outside of JavaScript's heap, where the collector hardly notices
 * them: without this an idle worker keeps some 500 MB of a large one.
 */
function dropPixels(): void {
  if (process.memoryUsage().arrayBuffers > KEPT_BYTES) globalThis.gc?.();
}

function reply(message: WorkerReply, body?: Uint8Array): void {
  channel.send(message, body);
}
