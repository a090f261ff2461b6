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
  try {
    const { policy } = header as WorkerRequest;
    const { bytes, report } = await compressImage(body, await engine, policy);
    reply({ kind: 'done', report }, report.skipReason ? undefined : bytes);
  } catch (error) {
    if (error instanceof ImageRefused) {
      reply({ kind: 'refused', code: error.code, message: error.message, numbers: error.numbers });
    } else {
      reply({ kind: 'failed', stack: error instanceof Error ? String(error.stack) : String(error) });
    }
  }
}

function reply(message: WorkerReply, body?: Uint8Array): void {
  channel.send(message, body);
}
