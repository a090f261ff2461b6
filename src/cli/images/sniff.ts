/**
 * Whether a file is an image, by its first bytes, and what it is otherwise. Names are not believed; links are
 * not followed.
 */
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import type { Formats, ResultFormatName } from '../../contract/formats';
import { notAnImage } from '../../contract/image-problems';

/**
 * What Git LFS puts in the place of a file that is not downloaded:
 * https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
 */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/';
export const LFS_SENTENCE = 'This is a Git LFS pointer, not the image. Run git lfs pull.';

/** Returns the format of an image; undefined for another file. One that cannot be opened is judged by its name, so that reading it reports why. */
export async function imageFormat(path: string, formats: Formats): Promise<ResultFormatName | undefined> {
  const start = await readStart(path);
  return start === 'unreadable' ? formats.namedUpload(path) : start && formats.ofUpload(start);
}

/** Returns what a file is that is named like an image but is none; undefined for any other file. */
export async function misnamed(path: string, formats: Formats): Promise<string | undefined> {
  const start = formats.namedUpload(path) === undefined ? undefined : await readStart(path);
  if (typeof start !== 'object' || formats.isUpload(start)) return undefined;
  return isLfsPointer(start) ? LFS_SENTENCE : notAnImage(start, formats).message;
}

export function isLfsPointer(start: Uint8Array): boolean {
  return Buffer.from(start.subarray(0, LFS_POINTER.length)).toString('latin1') === LFS_POINTER;
}

/** Enough to name the kind of a file, or to find a Git LFS pointer. */
const START_BYTES = 512;

async function readStart(path: string): Promise<Uint8Array | 'unreadable' | undefined> {
  const entry = await lstat(path).catch(() => undefined);
  if (!entry) return 'unreadable';
  if (!entry.isFile()) return undefined;
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (!file) return 'unreadable';
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } catch {
    return 'unreadable';
  } finally {
    await file.close();
  }
}
