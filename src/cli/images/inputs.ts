/** Finds the images that were typed: files, folders and patterns. */
import { UPLOAD_EXTENSIONS } from '../../contract/formats';
import { lstat } from 'node:fs/promises';
import { basename, dirname, join, parse, relative, resolve, sep } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { FileFault, faultOf, type Fault } from './file-faults';
import { IMAGE_NAME, isImage, misnamed } from './sniff';

export interface Input {
  readonly path: string;
  /** The folder that the user named; below it no link is followed. */
  readonly root: string;
  /** As the user would write it. */
  readonly shown: string;
  /** Where it belongs below an output folder. */
  readonly below: string;
}

export interface Inputs {
  readonly images: readonly Input[];
  /** Typed by the user but not usable, with the reason. */
  readonly faults: readonly ({ readonly shown: string } & Fault)[];
  /** In folders: the number of files that are neither JPG nor PNG by their first bytes. Links do not count. */
  readonly passedOver: number;
  /** Those of them that are named like an image, with a sentence that says what they are. */
  readonly misnamed: readonly { readonly shown: string; readonly sentence: string }[];
  /** In folders: the number of backups that --backup made, such as photo.jpg.orig beside photo.jpg. */
  readonly backups: number;
  /** Whether any of it came from a folder or a pattern. */
  readonly hasFolder: boolean;
}

export interface SearchOptions {
  /** A folder whose contents are left out: earlier results. */
  readonly except?: string | undefined;
  /** With a suffix of results, those beside their originals are left out of folders: photo.min.jpg beside photo.jpg. */
  readonly suffix?: string | undefined;
  /** Whether sub-folders are searched too. */
  readonly isRecursive: boolean;
}

/** @param from the folder that names are relative to */
export async function findInputs(
  typed: readonly string[],
  from: string,
  { except, suffix, isRecursive }: SearchOptions,
): Promise<Inputs> {
  const images = new Map<string, Input>();
  const faults: ({ shown: string } & Fault)[] = [];
  const leftOut = { passedOver: 0, backups: 0 };
  const wrongNames: { shown: string; sentence: string }[] = [];
  let hasFolder = false;

  const search = async (folder: string, pattern: string): Promise<number> => {
    hasFolder = true;
    const options = { cwd: folder, followSymbolicLinks: false, expandDirectories: false };
    const names = (await glob(pattern, options)).sort();
    for (const name of names) {
      const path = join(folder, name);
      if (except !== undefined && except !== folder && path.startsWith(except + sep)) continue;
      if (suffix !== undefined && (await isResult(path, suffix))) continue;
      if (!(await isImage(path))) {
        leftOut.passedOver++;
        const sentence = await misnamed(path);
        if (sentence !== undefined) wrongNames.push({ shown: relative(from, path), sentence });
      } else if (await isBackup(path)) leftOut.backups++;
      else if (!images.has(path))
        images.set(path, { path, root: folder, shown: relative(from, path), below: name });
    }
    return names.length;
  };

  for (const name of typed) {
    const path = resolve(from, name);
    try {
      const entry = await lstat(path).catch((error: unknown) => {
        if (isDynamicPattern(name)) return undefined;
        throw error;
      });
      if (!entry) {
        const { folder, pattern } = splitPattern(name);
        const found = await search(resolve(from, folder), pattern);
        if (found === 0) throw new FileFault('no_match', 'No file matches this pattern. Check it.');
      } else if (entry.isDirectory()) await search(path, isRecursive ? '**/*' : '*');
      else if (entry.isFile())
        images.set(path, { path, root: dirname(path), shown: name, below: basename(path) });
      else throw notAFile(entry.isSymbolicLink());
    } catch (error) {
      const fault = faultOf(error);
      if (fault === undefined) throw error;
      faults.push({ shown: name, ...fault });
    }
  }
  return { images: [...images.values()], faults, ...leftOut, misnamed: wrongNames, hasFolder };
}

function notAFile(isLink: boolean): FileFault {
  return isLink
    ? new FileFault('symbolic_link', 'This is a symbolic link. Name the file that it points to.')
    : new FileFault('not_a_file', 'This is neither a file nor a folder.');
}

/** Splits off the folders before the first part that is a pattern; they are not repeated below the output folder. */
function splitPattern(name: string): { folder: string; pattern: string } {
  const parts = name.split('/');
  const first = parts.findIndex((part) => isDynamicPattern(part));
  const folder = parts.slice(0, first).join('/');
  return { folder: folder || (name.startsWith('/') ? '/' : '.'), pattern: parts.slice(first).join('/') };
}

/** Returns the name without its extension, with slashes. On other systems than Windows, a backslash is part of a name. */
export function stemOf(name: string): string {
  return (sep === '\\' ? name.replaceAll('\\', '/') : name).replace(/\.[^./]*$/, '');
}

/** The name of an image at the start of another name. 255 bytes are the longest name of most file systems. */
const ORIGINAL_NAME = new RegExp(`^.{0,255}\\.(?:${UPLOAD_EXTENSIONS.join('|')})(?=.)`, 'is');

/** Returns whether a file has the name of a file beside it with the suffix before the extension, or at the end if there is none. */
async function isResult(path: string, suffix: string): Promise<boolean> {
  const { dir, base, name, ext } = parse(path);
  const [stem, rest] = name.endsWith(suffix) ? [name, ext] : [base, ''];
  return stem.endsWith(suffix) && (await isFile(join(dir, stem.slice(0, -suffix.length) + rest)));
}

/** Returns whether a file has the name of an image beside it with something appended, such as photo.jpg.orig. */
export async function isBackup(path: string): Promise<boolean> {
  const name = IMAGE_NAME.test(path) ? '' : basename(path);
  const original = ORIGINAL_NAME.exec(name)?.[0];
  if (original === undefined) return false;
  return isFile(join(dirname(path), original));
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
}
