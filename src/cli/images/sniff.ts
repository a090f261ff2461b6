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

/** What the first bytes of a file show. */
interface Sniffed {
  /** Of an image; undefined for another file. */
  readonly format: ResultFormatName | undefined;
  /** What a file is that is named like an image but is none. */
  readonly misnamed?: string;
}

/** A file that cannot be opened is judged by its name, so that reading it reports why. */
export async function sniff(path: string, formats: Formats): Promise<Sniffed> {
  const named = formats.namedUpload(path);
  const start = await readStart(path);
  if (start === 'unreadable') return { format: named };
  const format = start && formats.ofUpload(start);
  if (!start || format !== undefined || named === undefined) return { format };
  return { format, misnamed: isLfsPointer(start) ? LFS_SENTENCE : notAnImage(start, formats).message };
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
