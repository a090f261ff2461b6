/**
 * The one writer of files. No program ever sees a partly written file, and no file that was read is replaced unasked.
 * Mode, owner and times are set on the open handle, as paths may be exchanged.
 */
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  createWriteStream,
  fstatSync,
  fsync,
  futimes,
  openSync,
  unlinkSync,
  type BigIntStats,
} from 'node:fs';
import { lstat, open, rename, stat, unlink, type FileHandle } from 'node:fs/promises';
import { Socket } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { FileFault, findCode, unlessCode } from './file-fault';
import { makeFolder } from './within-folder';

/** Temporary files that are being written; removed when the process ends. */
const temporaries = new Set<string>();
process.on('exit', () => {
  for (const path of temporaries) {
    try {
      unlinkSync(path);
    } catch {
      // It was renamed or removed at the same time.
    }
  }
});

const IS_INPUT = 'This is one of the files that are read, and would be overwritten. Choose another name.';
const LINKED =
  'This is a symbolic link, which is followed only to a device or a pipe. Remove it, or name the file that it points to.';
const NOT_WRITABLE = 'This is neither a regular file, a pipe nor a character device. Choose another name.';
const CHANGED = 'It was changed while it was being compressed, so it was left alone. Run the command again.';

/** Read and write for the owner, until the file has its own owner and mode. */
const PRIVATE = 0o600;
/** The system subtracts the umask. */
const NEW_FILE = 0o666;
/** Without set-uid, set-gid and sticky: a compressed image is not a program, and its owner may differ. */
const PERMISSIONS = 0o777;

export interface WholeFile {
  readonly bytes: Buffer;
  readonly stats: BigIntStats;
}

const { O_RDONLY, O_WRONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

/** Does not follow a link in the last part of the path, and does not wait for a pipe. */
export async function readWhole(path: string): Promise<WholeFile> {
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(async (error: unknown) => {
    if (findCode(error) !== 'ELOOP' || !(await lstat(path)).isSymbolicLink()) throw error;
    throw new FileFault('symbolic_link', 'This is a symbolic link. Name the file that it points to.');
  });
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) throw new FileFault('not_a_file', 'This is not a regular file.');
    return { stats, bytes: await file.readFile() };
  } finally {
    await file.close();
  }
}

/** Files by device and inode, however they are named. */
export type Sources = ReadonlySet<string>;

export const fileId = ({ dev, ino }: BigIntStats) => `${dev}:${ino}`;

const statIfAny = (path: string) => stat(path, { bigint: true }).catch(() => undefined);

/** Leaves out names that do not exist. */
export async function identify(paths: readonly string[]): Promise<Sources> {
  const found = await Promise.all(paths.map(statIfAny));
  return new Set(found.flatMap((stats) => (stats ? [fileId(stats)] : [])));
}

/** Through links, too. */
export async function isAmong(sources: Sources, path: string): Promise<boolean> {
  const stats = await statIfAny(path);
  return stats !== undefined && sources.has(fileId(stats));
}

export interface Writing {
  /** The result gets its times, mode and, if allowed, owner. */
  readonly like?: BigIntStats | undefined;
  /** The files that are read, which are never written to. */
  readonly sources?: Sources | undefined;
}

/**
 * Through a temporary file on the same disk; into a device or a pipe, also behind a link.
 * @throws FileFault `is_input`, or for another link or kind of file; ENXIO for a pipe that no program reads from
 */
export async function writeWhole(
  path: string,
  bytes: Uint8Array,
  { like, sources }: Writing = {},
): Promise<void> {
  await makeFolder(dirname(path));
  const entry = await lstat(path).catch(unlessCode('ENOENT'));
  if (!entry) return writeThenRename(path, bytes, like);
  if (sources && (await isAmong(sources, path))) throw new FileFault('is_input', IS_INPUT);
  // Behind a link there may be nothing.
  const target = await statIfAny(path);
  if (target?.isFIFO() || target?.isCharacterDevice()) return writeInto(path, bytes, target);
  if (entry.isSymbolicLink()) throw new FileFault('symbolic_link', LINKED);
  // The system refuses to replace a folder.
  if (!entry.isFile() && !entry.isDirectory()) throw new FileFault('not_a_file', NOT_WRITABLE);
  await writeThenRename(path, bytes, like);
}

async function writeInto(path: string, bytes: Uint8Array, node: BigIntStats) {
  // Waiting for a reader would block a thread, and with it the end of the process.
  const fd = openSync(path, O_WRONLY | O_NOCTTY | (node.isFIFO() ? O_NONBLOCK : 0));
  if (fileId(fstatSync(fd, { bigint: true })) !== fileId(node)) {
    closeSync(fd);
    throw new FileFault('changed', CHANGED);
  }
  // Only a socket waits for room in a pipe.
  const sink = node.isFIFO()
    ? new Socket({ fd, readable: false, writable: true })
    : createWriteStream('', { fd });
  await pipeline(Readable.from([bytes]), sink);
}

/** @param keep copies the original and returns its undoing. @throws FileFault when the file has changed since */
export async function replaceWhole(
  path: string,
  bytes: Uint8Array,
  source: BigIntStats,
  keep?: () => Promise<() => Promise<void>>,
): Promise<void> {
  let undo: (() => Promise<void>) | undefined;
  try {
    await writeThenRename(path, bytes, source, async () => {
      const now = await lstat(path, { bigint: true });
      const isSame = (['dev', 'ino', 'size', 'mtimeNs', 'ctimeNs'] as const).every(
        (key) => now[key] === source[key],
      );
      if (!isSame) throw new FileFault('changed', CHANGED);
      undo = await keep?.();
    });
  } catch (error) {
    await undo?.();
    throw error;
  }
}

/** @throws NodeJS.ErrnoException EEXIST if a file is there */
async function writeNew(path: string, bytes: Uint8Array, like?: BigIntStats) {
  const file = await open(path, 'wx', like ? PRIVATE : NEW_FILE);
  try {
    await file.writeFile(bytes);
    if (like) await resemble(file, like);
    // After a power failure the new name must not stand for an empty file.
    // The method of the handle throws under Yarn's Plug'n'Play, which has handles of its own.
    await promisify(fsync)(file.fd);
  } catch (error) {
    await unlink(path).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

async function writeThenRename(
  path: string,
  bytes: Uint8Array,
  like: BigIntStats | undefined,
  beforeRename?: () => Promise<void>,
) {
  const temporary = join(dirname(path), `.ics-${randomUUID()}.tmp`);
  temporaries.add(temporary);
  try {
    await writeNew(temporary, bytes, like);
    await beforeRename?.();
    await rename(temporary, path);
  } catch (error) {
    await unlink(temporary).catch(() => undefined);
    throw error;
  } finally {
    temporaries.delete(temporary);
  }
}

async function resemble(file: FileHandle, { uid, gid, mode, atimeMs, mtimeMs }: BigIntStats) {
  // Only root may change the owner; all other users own the new file already.
  await file.chown(Number(uid), Number(gid)).catch(() => undefined);
  await file.chmod(Number(mode) & PERMISSIONS);
  // As above, not `file.utimes`.
  await promisify(futimes)(file.fd, Number(atimeMs) / 1000, Number(mtimeMs) / 1000);
}

/** @returns a function that removes the copy. @throws FileFault when something else has that name */
export async function keepOriginal(backup: string, original: WholeFile): Promise<() => Promise<void>> {
  try {
    await writeNew(backup, original.bytes, original.stats);
    return () => unlink(backup).catch(() => undefined);
  } catch (error) {
    if (findCode(error) !== 'EEXIST') throw error;
  }
  // An earlier run may have been killed between the copy and the replacement.
  const isCopy = await readWhole(backup).then(
    ({ bytes }) => bytes.equals(original.bytes),
    () => false,
  );
  if (isCopy) return () => Promise.resolve();
  throw new FileFault(
    'backup_exists',
    `${basename(backup)} already exists, so the file was left alone. Move the backup away, or choose another --backup.`,
  );
}
