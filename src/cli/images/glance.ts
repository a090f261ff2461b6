/** What the first bytes of a file say: whether it is an image, and how much work it will be. */
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { readAcceptedHeader } from '../../compression/formats/image-header';
import { formatBySignature, type UploadFormat, UPLOAD_EXTENSIONS } from '../../contract/formats';
import { notAnImage } from '../../contract/image-problems';

/** Names of image files. */
export const IMAGE_NAME = new RegExp(`\\.(${UPLOAD_EXTENSIONS.join('|')})$`, 'i');

/** If the metadata is longer than this, the dimensions are estimated. */
const LOOKED_AT_BYTES = 64 * 1024;
/** Approximate pixels per byte of a photo. */
const USUAL_DENSITY = 3;

export interface Glance {
  readonly format: UploadFormat;
  /** Width × height from the header, or estimated from the length of the file. */
  readonly pixels: number;
}

/** Decided by the first bytes; by the name if the file cannot be opened, so that reading it reports why. */
export async function isImage(path: string): Promise<boolean> {
  const glance = await glanceAt(path);
  return glance === 'unreadable' ? IMAGE_NAME.test(path) : glance !== undefined;
}

/** Returns undefined for a file that is neither JPG nor PNG, or not regular. Links are not followed. */
export async function glanceAt(path: string): Promise<Glance | 'unreadable' | undefined> {
  const read = await startOf(path);
  return typeof read === 'object' ? described(read.start, read.length) : read;
}

/** Returns a sentence about a file that is named like an image but is not one; undefined for any other file. */
export async function misnamed(path: string): Promise<string | undefined> {
  const read = IMAGE_NAME.test(path) ? await startOf(path) : undefined;
  if (typeof read !== 'object' || formatBySignature(read.start)) return undefined;
  return isLfsPointer(read.start) ? LFS_SENTENCE : notAnImage(read.start).message;
}

/** What Git LFS puts in the place of a file that has not been downloaded: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/';
export const LFS_SENTENCE = 'This is a Git LFS pointer, not the image. Run git lfs pull.';

export function isLfsPointer(start: Uint8Array): boolean {
  return Buffer.from(start.subarray(0, LFS_POINTER.length)).toString('latin1') === LFS_POINTER;
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
