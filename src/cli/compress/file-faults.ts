/** What can go wrong with one file, in a sentence that says what to do next. */
import { CompressionUnavailable } from '../../compression/application/compression-runner.port';
import { ImageRefused, type RefusalCode } from '../../compression/domain/refusal';

/** A fault that was put into words where it was found. */
export class FileFault extends Error {}

const REFUSED: Readonly<Record<RefusalCode, string>> = {
  unsupported_media_type: 'Save it as one of these first.',
  undecodable_image: 'Export it again from its source.',
  too_many_pixels: 'Scale it down first, or raise MAX_PIXELS_MP.',
};

const SYSTEM: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file or folder; check the name.',
  ENOTDIR: 'A part of this path is a file and not a folder; check the name.',
  EEXIST: 'A file stands where a folder is needed; choose another output with -o.',
  EISDIR: 'There is a folder of this name; choose another output with -o.',
  EACCES: 'Access is denied; check the permissions of the file and its folder.',
  EPERM: 'The system does not allow it; check the owner and the attributes of the file.',
  EROFS: 'This disk is read-only; choose another output with -o.',
  ENOSPC: 'The disk is full; make room, or choose another output with -o.',
  EDQUOT: 'Your disk quota is used up; make room, or choose another output with -o.',
  EFBIG: 'The result is larger than this disk or your limits allow.',
  EMFILE: 'Too many files are open; try fewer --jobs.',
  ENAMETOOLONG: 'The name is too long; choose a shorter one.',
  ELOOP: 'Too many symbolic links follow each other; name the file itself.',
  EBUSY: 'Something else uses the file; close it and try again.',
  EIO: 'The disk reports an error; check it before anything else.',
  ERR_FS_FILE_TOO_LARGE: 'The file is larger than 2 GiB; no image is.',
};

/** What stops everything else too: there is no point in trying the next file. */
const LASTING = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** Undefined for a bug, which deserves its stack. */
export function sentenceFor(error: unknown): string | undefined {
  if (error instanceof FileFault) return error.message;
  if (error instanceof ImageRefused) return `${error.message} ${REFUSED[error.code]}`;
  if (error instanceof CompressionUnavailable) return unavailable(error);
  const code = codeOf(error);
  if (code === undefined) return undefined;
  return SYSTEM[code] ?? `The system reports ${code}; nothing was changed.`;
}

export function isLasting(error: unknown): boolean {
  return LASTING.has(codeOf(error) ?? '');
}

function unavailable({ reason }: CompressionUnavailable): string {
  return reason === 'worker_lost'
    ? 'The process that worked on it was ended, perhaps for want of memory; try fewer --jobs.'
    : 'It was interrupted; run the command again.';
}

function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
