/** What can go wrong with one file: a stable code for programs, and a sentence that says what to do next. */
import { CompressionUnavailable } from '../../compression/application/compression-runner.port';
import { ImageRefused, type RefusalCode } from '../../compression/domain/refusal';

/** Codes of faults that neither the recipe nor the system reports. */
export type FileFaultCode = 'not_a_file' | 'symbolic_link' | 'no_match' | 'changed' | 'backup_exists';

/** A fault that was put into words where it was found. */
export class FileFault extends Error {
  constructor(
    readonly code: FileFaultCode,
    message: string,
  ) {
    super(message);
  }
}

/** A result that cannot be written; `cause` is what the system reports. */
class OutputFault extends Error {
  constructor(
    readonly shown: string,
    override readonly cause: unknown,
  ) {
    super(`${shown} cannot be written`, { cause });
  }
}

/** Says of an error of the system that it concerns the output and not the image. */
export function ofOutput(shown: string) {
  return (error: unknown): never => {
    throw error instanceof FileFault ? error : new OutputFault(shown, error);
  };
}

export interface Fault {
  /** Of the contract (`undecodable_image`), of the system (`ENOENT`), or a FileFaultCode. */
  readonly code: string;
  readonly sentence: string;
  /** The output that cannot be written, as the user would write it; absent when the fault is of the image. */
  readonly output?: string;
}

const REFUSED: Readonly<Record<RefusalCode, string>> = {
  unsupported_media_type: 'Save it as a JPG or PNG first.',
  undecodable_image: 'Export it again from its source.',
  too_many_pixels: 'Scale it down first, or raise MAX_PIXELS_MP.',
  budget_unreachable: 'Raise --max-bytes, or give --allow any.',
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

/** Where an output needs other advice than an image. */
const OUTPUT: Readonly<Record<string, string>> = {
  ...SYSTEM,
  ENOENT: 'Nothing can be created here; choose another output with -o.',
  ENOTDIR: SYSTEM['EEXIST'],
  EACCES: 'Access is denied; check the permissions of the folder, or choose another output with -o.',
  EPERM: 'The system does not allow writing here; choose another output with -o.',
};

/** What stops everything else too: there is no point in trying the next file. */
const LASTING = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** Undefined for a bug, which deserves its stack. */
export function faultOf(error: unknown): Fault | undefined {
  if (error instanceof FileFault) return { code: error.code, sentence: error.message };
  if (error instanceof ImageRefused) {
    return { code: error.code, sentence: `${error.message} ${REFUSED[error.code]}` };
  }
  if (error instanceof CompressionUnavailable) return { code: error.reason, sentence: unavailable(error) };
  if (error instanceof OutputFault) {
    const fault = ofSystem(error.cause, OUTPUT);
    return fault && { ...fault, output: error.shown };
  }
  return ofSystem(error, SYSTEM);
}

function ofSystem(error: unknown, sentences: typeof SYSTEM): Fault | undefined {
  const code = codeOf(error);
  if (code === undefined) return undefined;
  return { code, sentence: sentences[code] ?? `The system reports ${code}; nothing was changed.` };
}

export function isLasting({ code }: Fault): boolean {
  return LASTING.has(code);
}

function unavailable({ reason }: CompressionUnavailable): string {
  return reason === 'worker_lost'
    ? 'The process that worked on it was ended, perhaps for want of memory; try fewer --jobs.'
    : 'It was interrupted; run the command again.';
}

/** The code of a system error; undefined for any other. */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : undefined;
}
