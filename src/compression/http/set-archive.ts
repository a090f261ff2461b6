/** Writes the files of a set into one body: a ZIP without compression, or multipart/mixed (RFC 2046). */
import { randomUUID } from 'node:crypto';
import { piecesOf } from './result-response';

/** A file for the client. */
export interface SetEntry {
  readonly name: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** Called when the client takes the rest of the file. */
  readonly onSent: () => void;
}

export const ARCHIVE_TYPES = ['application/zip', 'multipart/mixed'] as const;

/** Returns the body in pieces, and its media type. */
export async function archiveOf(type: (typeof ARCHIVE_TYPES)[number], entries: AsyncIterable<SetEntry>) {
  if (type === 'application/zip') return { mediaType: type, pieces: await zipOf(entries) };
  const boundary = randomUUID();
  return { mediaType: `${type}; boundary=${boundary}`, pieces: partsOf(entries, boundary) };
}

async function zipOf(entries: AsyncIterable<SetEntry>): Promise<AsyncIterable<Uint8Array>> {
  // An ES module.
  const { makeZip } = await import('client-zip');
  async function* files() {
    for await (const entry of entries) {
      const { name, bytes } = entry;
      yield { name, size: bytes.length, lastModified: new Date(), input: contentOf(entry) };
    }
  }
  return makeZip(files()) as ReadableStream<Uint8Array> & AsyncIterable<Uint8Array>;
}

async function* partsOf(entries: AsyncIterable<SetEntry>, boundary: string): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    const { name, mediaType, bytes } = entry;
    const lines = [
      `--${boundary}`,
      `Content-Type: ${mediaType}`,
      `Content-Disposition: attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
      `Content-Length: ${bytes.length}`,
      '\r\n',
    ];
    yield Buffer.from(lines.join('\r\n'));
    yield* contentOf(entry);
    yield Buffer.from('\r\n');
  }
  yield Buffer.from(`--${boundary}--\r\n`);
}

// Asynchronous, because client-zip takes no other iterables.
// eslint-disable-next-line @typescript-eslint/require-await
async function* contentOf({ bytes, onSent }: SetEntry): AsyncGenerator<Uint8Array> {
  yield* piecesOf(bytes);
  onSent();
}
