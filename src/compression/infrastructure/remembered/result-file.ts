/**
 * The file format of a result: magic and header length, header (JSON: key, report), image, SHA-256 of everything before. A
 * truncated, changed or foreign file is not a result.
 */
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import { digestOf } from '../../application/running/digest';
import type { CompressedImage } from '../../domain/compression-report';
import { asReport } from '../process/worker-messages';

const MAGIC = Buffer.from('ICSRES1\n');
const PREFIX_BYTES = MAGIC.length + 4;
const DIGEST_BYTES = 32;
/** Limit for the header; a report takes less than 2 KB. */
const MAX_HEADER_BYTES = 64 * 1024;

const header = z.object({ key: z.string(), bytes: z.int().nonnegative(), report: z.unknown() });

/** Returns the parts of the file in order. */
export async function encodeResult(key: string, { bytes, report }: CompressedImage): Promise<Uint8Array[]> {
  const json = Buffer.from(JSON.stringify({ key, bytes: bytes.length, report }));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  const contents = [MAGIC, length, json, bytes];
  return [...contents, await digestOf(...contents)];
}

export interface ResultFile {
  /** Size of the image in bytes. */
  readonly bytes: number;
  readonly modifiedAtMs: number;
  /** Returns undefined if the file is damaged. */
  read(): Promise<CompressedImage | undefined>;
  /** Marks the result as the most recently used one. */
  touch(): Promise<void>;
  close(): Promise<void>;
}

/** Returns undefined if there is no complete result for the key. Does not follow links or block on pipes. */
export async function openResult(path: string, key: string): Promise<ResultFile | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const result = await readHeader(file, key);
    if (!result) await file.close();
    return result;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function readHeader(file: FileHandle, key: string): Promise<ResultFile | undefined> {
  const { size, mtimeMs } = await file.stat();
  const prefix = await readAt(file, 0, PREFIX_BYTES);
  if (!prefix?.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const headerBytes = prefix.readUInt32BE(MAGIC.length);
  const json = headerBytes > MAX_HEADER_BYTES ? undefined : await readAt(file, PREFIX_BYTES, headerBytes);
  const parsed = json && parse(json);
  const bodyAt = PREFIX_BYTES + headerBytes;
  if (parsed?.key !== key || size !== bodyAt + parsed.bytes + DIGEST_BYTES) return undefined;
  return {
    bytes: parsed.bytes,
    modifiedAtMs: mtimeMs,
    read: async () => {
      const all = await readAt(file, 0, size);
      const contents = all?.subarray(0, -DIGEST_BYTES);
      if (!contents || !all?.subarray(-DIGEST_BYTES).equals(await digestOf(contents))) return undefined;
      return { bytes: contents.subarray(bodyAt), report: asReport(parsed.report) };
    },
    touch: () => {
      const now = new Date();
      return file.utimes(now, now);
    },
    close: () => file.close(),
  };
}

function parse(json: Buffer): z.infer<typeof header> | undefined {
  try {
    return header.parse(JSON.parse(json.toString()));
  } catch {
    return undefined;
  }
}

/** Returns undefined if the file ends too early. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer | undefined> {
  const buffer = Buffer.allocUnsafeSlow(length);
  for (let at = 0; at < length;) {
    const { bytesRead } = await file.read(buffer, at, length - at, position + at);
    if (bytesRead === 0) return undefined;
    at += bytesRead;
  }
  return buffer;
}
