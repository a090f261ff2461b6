/**
 * What can be compressed, and how it is read: as a stream, and no more of it than the limit. Types are those
 * that Node.js and the DOM have in common, so that callers need neither.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { addAbortSignal, Readable } from 'node:stream';
import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import { types } from 'node:util';
import { CompressionError, InputError, inputTooLarge, InvalidOptionError } from './errors';

/** A web stream of bytes. */
interface ByteStream {
  getReader(): {
    read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
    cancel?(reason?: unknown): Promise<void>;
  };
}

interface ByteBlob {
  readonly size: number;
  stream(): ByteStream;
}

/** Bytes, a path or file URL, a Blob, or a stream of bytes of the web or of Node.js, which is cancelled when reading fails. */
export type ImageInput =
  Uint8Array | ArrayBuffer | string | URL | ByteBlob | ByteStream | AsyncIterable<Uint8Array>;

/** Most bytes, `given` in memory or `read` from files, Blobs and streams. */
export interface InputLimits {
  readonly given: number;
  readonly read: number;
}

/** @throws InvalidOptionError, InputError, or ImageRefusedError `image_too_large` */
export async function readInput(
  input: unknown,
  limits: InputLimits,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  refuseDetached(types.isUint8Array(input) ? input.buffer : input);
  const bytes = types.isArrayBuffer(input) ? new Uint8Array(input) : input;
  if (types.isUint8Array(bytes)) {
    if (bytes.length > limits.given) throw inputTooLarge(limits.given, bytes.length);
    // Of shared memory, responses and blobs take none.
    return bytes.buffer instanceof ArrayBuffer ? (bytes as Uint8Array<ArrayBuffer>) : Uint8Array.from(bytes);
  }
  try {
    const { size, open } = await described(input);
    if (size > limits.read) throw inputTooLarge(limits.read, size);
    // A source that waits may not notice the signal, or not end.
    const aborted = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true }),
    );
    signal.throwIfAborted();
    return await Promise.race([collect(addAbortSignal(signal, open()), limits.read), aborted]);
  } catch (error) {
    throw error instanceof CompressionError ? error : new InputError(error);
  }
}

/** A view of memory that was transferred, such as by postMessage, looks empty. @throws InputError */
function refuseDetached(memory: unknown) {
  try {
    // The property `detached` is absent in Node.js 20.
    if (types.isArrayBuffer(memory)) memory.slice(0, 0);
  } catch {
    throw new InputError(new Error('its ArrayBuffer is detached, because it was transferred'));
  }
}

/** Longer than any path that Linux or macOS opens. */
const MAX_PATH_LENGTH = 4096;

/** The system repeats a path in its error, and base64 would be all of the image. @throws InvalidOptionError */
function refuseOtherText(text: string) {
  const isUrl = /^(data:|[a-z][a-z\d+.-]+:\/\/)/i.test(text);
  if (!isUrl && text.length <= MAX_PATH_LENGTH) return;
  throw new InvalidOptionError(
    'input',
    isUrl
      ? 'input must be a path or bytes, not a URL as text. Fetch the image and pass its Blob, or pass a file URL as a URL.'
      : `input must be a path of at most ${MAX_PATH_LENGTH} characters; decode base64 with Buffer.from(text, 'base64').`,
  );
}

/** The size in bytes is 0 if only reading shows it. @throws InvalidOptionError */
async function described(input: unknown): Promise<{ size: number; open: () => Readable }> {
  if (typeof input === 'string') refuseOtherText(input);
  if (typeof input === 'string' || (input instanceof URL && input.protocol === 'file:'))
    return { size: (await stat(input)).size, open: () => createReadStream(input) };
  if (input instanceof Readable) return { size: 0, open: () => input };
  if (isBlob(input)) return { size: input.size, open: () => opened(input.stream()) };
  if (isByteStream(input)) return { size: 0, open: () => opened(input) };
  if (typeof input === 'object' && input !== null && Symbol.asyncIterator in input)
    return { size: 0, open: () => Readable.from(input as AsyncIterable<unknown>) };
  throw new InvalidOptionError(
    'input',
    'input must be a Uint8Array, an ArrayBuffer, a path, a file URL, a Blob, or a stream of bytes.',
  );
}

// By their members: polyfills and packages have classes of their own.
const isBlob = (input: unknown): input is ByteBlob =>
  typeof (input as Partial<ByteBlob> | null)?.stream === 'function' && 'size' in (input as ByteBlob);

const isByteStream = (input: unknown): input is ByteStream =>
  typeof (input as Partial<ByteStream> | null)?.getReader === 'function';

function opened(stream: ByteStream): Readable {
  if (stream instanceof ReadableStream) return Readable.fromWeb(stream);
  // Of node-fetch 2, a stream of Node.js.
  if (!isByteStream(stream)) return Readable.from(stream as AsyncIterable<unknown>);
  const reader = stream.getReader();
  const pull = async (controller: ReadableStreamDefaultController) => {
    const { done, value } = await reader.read();
    if (done) controller.close();
    else controller.enqueue(value);
  };
  return Readable.fromWeb(new ReadableStream({ pull, cancel: (reason) => reader.cancel?.(reason) }));
}

/** Leaving the loop with an error destroys the stream. */
async function collect(stream: Readable, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  if (stream.readableEnded) throw new Error('the stream has been read already');
  for await (const piece of stream as AsyncIterable<unknown>) {
    if (!types.isUint8Array(piece)) throw new Error('the stream has pieces that are not bytes');
    size += piece.length;
    if (size > limit) throw inputTooLarge(limit);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}
