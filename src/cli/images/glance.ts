/** What the first bytes of a file tell of its image: whether it is one, and how much work it will be. */
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { readAcceptedHeader } from '../../compression/formats/image-header';
import { formatBySignature, notJpgOrPng, type ImageFormat } from '../../contract/image-signature';

/** Names that people and programs take for images. */
export const IMAGE_NAME = /\.(jpe?g|png)$/i;

/** Behind more metadata than this the dimensions are estimated. */
const LOOKED_AT_BYTES = 64 * 1024;
/** Pixels a byte of a photo, about. */
const USUAL_DENSITY = 3;

export interface Glance {
  readonly format: ImageFormat;
  /** Width × height by the header, or estimated from the length of the file. */
  readonly pixels: number;
}

/** By its first bytes, or for a file that cannot be opened by its name: then the reading says what is wrong. */
export async function isImage(path: string): Promise<boolean> {
  const glance = await glanceAt(path);
  return glance === 'unreadable' ? IMAGE_NAME.test(path) : glance !== undefined;
}

/** Undefined when it is neither JPG nor PNG, or no regular file. Links are not followed. */
export async function glanceAt(path: string): Promise<Glance | 'unreadable' | undefined> {
  const read = await startOf(path);
  return typeof read === 'object' ? described(read.start, read.length) : read;
}

/** What a file is that is named like an image and is none, as a sentence; undefined for any other file. */
export async function misnamed(path: string): Promise<string | undefined> {
  const read = IMAGE_NAME.test(path) ? await startOf(path) : undefined;
  if (typeof read !== 'object' || formatBySignature(read.start)) return undefined;
  return `${notJpgOrPng(read.start)}.`;
}

interface Start {
  readonly start: Uint8Array;
  /** Of the whole file, in bytes. */
  readonly length: number;
}

async function startOf(path: string): Promise<Start | 'unreadable' | undefined> {
  const entry = await lstat(path).catch(() => undefined);
  if (!entry) return 'unreadable';
  if (!entry.isFile()) return undefined;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (!file) return 'unreadable';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LOOKED_AT_BYTES), 0, LOOKED_AT_BYTES, 0);
    return { start: buffer.subarray(0, bytesRead), length: entry.size };
  } catch {
    return 'unreadable';
  } finally {
    await file.close();
  }
}

function described(start: Uint8Array, length: number): Glance | undefined {
  const format = formatBySignature(start);
  if (!format) return undefined;
  try {
    const { width, height } = readAcceptedHeader(start, Infinity).dimensions;
    return { format, pixels: width * height };
  } catch {
    return { format, pixels: length * USUAL_DENSITY };
  }
}
