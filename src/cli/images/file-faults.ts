/**
 * What can go wrong with one file, for all commands: a stable code for programs, and a sentence that says
 * what to do. Anything else is a bug and ends the command with its stack.
 */
import { UPLOADS } from '../../contract/formats';
import { FileFault, findCode } from '../../files/file-fault';
import { CompressionUnavailable } from '../../compression/application/running/compression-runner.port';
import { PackageFailed } from '../../compression/packages/codec-package';
import { CliFailure } from '../outcome';
import { printable } from '../report/printable';
import { ImageRefused, type RefusalCode, type RefusalReason } from '../../contract/image-problems';

/** A result that cannot be written; `cause` is the system's error. */
class OutputFault extends Error {
  constructor(
    readonly shown: string,
    override readonly cause: unknown,
  ) {
    super(`${shown} cannot be written`, { cause });
  }
}

/**
 * Returns a handler that marks a system error as one of the output, not of the image. @param shown its name,
 * as the user wrote it
 */
export function failOutput(shown: string) {
  return (error: unknown): never => {
    throw new OutputFault(shown, error);
  };
}

export interface Fault {
  /** Of the contract (`undecodable_image`), of the system (`ENOENT`), or of a FileFault. */
  readonly code: string;
  readonly sentence: string;
  /** The output that cannot be written; absent when the image is at fault. */
  readonly output?: string;
}

/** What to do about a refusal, by reason where the code does not say enough. */
const REFUSED: Readonly<Record<RefusalCode, string> & Partial<Record<RefusalReason, string>>> = {
  unsupported_media_type: `Save it as a ${UPLOADS.or} first.`,
  empty: 'Export it again from its source.',
  undecodable_image: 'Export it again from its source.',
  too_many_pixels: 'Scale it down first, or raise MAX_PIXELS_MP.',
  needs_too_much_memory: 'Save it in another program, or scale it down first.',
  budget_unreachable: 'Raise --max-bytes, or add --allow any.',
  cannot_compare: '',
  cannot_convert: 'Use --format same, or --format auto.',
};

/** Errors of the system that concern images. */
const SYSTEM: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file or folder. Check the name.',
  ENOTDIR: 'A part of this path is a file, not a folder. Check the name.',
  EEXIST: 'There is a file where a folder is needed. Choose another output with -o.',
  EISDIR: 'This is a folder. Name a file in it.',
  EACCES: 'Access is denied. Check the permissions of the file and its folder.',
  EPERM: 'The system does not allow this. Check the owner and the attributes of the file.',
  EROFS: 'This disk is read-only. Choose another output with -o.',
  ENOSPC: 'The disk is full. Make room, or choose another output with -o.',
  EDQUOT: 'Your disk quota is used up. Make room, or choose another output with -o.',
  EFBIG: 'The result is larger than this disk or your limits allow. Choose another output with -o.',
  EMFILE: 'Too many files are open. Try fewer --jobs.',
  ENAMETOOLONG: 'The name is too long. Choose a shorter one.',
  ELOOP: 'There are too many symbolic links in this path. Name the file itself.',
  EBUSY:
    'Another program uses the file, or it is mounted as a single file. Close that program, or mount the folder instead.',
  EIO: 'The disk reports an error. Check the disk.',
  ERR_FS_FILE_TOO_LARGE: 'The file is larger than 2 GiB, too large for an image.',
};

/** For outputs, some of which need other advice. */
const OUTPUT: typeof SYSTEM = {
  ...SYSTEM,
  ENOENT: 'Nothing can be created here. Choose another output with -o.',
  ENOTDIR: SYSTEM['EEXIST'],
  EISDIR: 'There is a folder with this name. Choose another output with -o.',
  EACCES: 'Access is denied. Check the permissions of the folder, or choose another output with -o.',
  EPERM: 'The system does not allow writing here. Choose another output with -o.',
  ELOOP: 'There are too many symbolic links in this path. Choose another output with -o.',
  ENXIO: 'No program reads from this pipe, or no device answers. Start the reader first.',
  EPIPE: 'The program that reads from this pipe ended before it had the whole result.',
};

const LOST = 'The worker process ended twice, perhaps because memory ran out. Try fewer --jobs.';
const INTERRUPTED = 'It was interrupted. Run the command again.';

/** Errors that the next file would meet too, so the run stops. */
const LASTING = new Set(['ENOSPC', 'EDQUOT', 'EROFS']);

/** @throws the error itself if it is a bug, which is reported with its stack */
export function describeFault(error: unknown): Fault {
  if (error instanceof ImageRefused) {
    const advice = REFUSED[error.reason] ?? REFUSED[error.code];
    return { code: error.code, sentence: `${error.message} ${advice}`.trim() };
  }
  if (error instanceof PackageFailed) return { code: 'engine_failed', sentence: `${error.message}.` };
  if (error instanceof CompressionUnavailable)
    return { code: error.reason, sentence: error.reason === 'worker_lost' ? LOST : INTERRUPTED };
  if (error instanceof OutputFault) return { ...describeOutputFault(error.cause), output: error.shown };
  return describeFileFault(error, SYSTEM);
}

/** @throws the error itself if it is a bug */
export const describeOutputFault = (error: unknown) => describeFileFault(error, OUTPUT);

function describeFileFault(error: unknown, sentences: typeof SYSTEM): Fault {
  if (error instanceof FileFault) return { code: error.code, sentence: error.message };
  const code = findCode(error);
  if (code === undefined) throw error;
  return { code, sentence: sentences[code] ?? `The system reports ${code}. Nothing was changed.` };
}

/** For an output that the command cannot do without. */
export function failCommand(shown: string) {
  return (error: unknown): never => {
    throw new CliFailure(`${printable(shown)}: ${describeOutputFault(error).sentence}`);
  };
}

export const isLasting = ({ code }: Fault) => LASTING.has(code);
