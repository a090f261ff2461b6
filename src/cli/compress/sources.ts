/** From what was typed to the images that are meant: files, folders and patterns. */
import { lstat, open } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { formatBySignature, SIGNATURE_BYTES } from '../../compression/formats/image-signature';
import { sentenceFor } from './file-faults';

export interface Source {
  readonly path: string;
  /** As the user would write it. */
  readonly shown: string;
  /** Where it belongs below an output folder. */
  readonly below: string;
}

export interface Sources {
  readonly images: readonly Source[];
  /** Named by the user and not usable, with the reason. */
  readonly faults: readonly { readonly shown: string; readonly sentence: string }[];
  /** In folders: files that are neither JPG nor PNG by their first bytes. Links are not even looked at. */
  readonly passedOver: number;
  /** Whether any of it came from a folder or a pattern. */
  readonly hasFolder: boolean;
}

/** @param except a folder whose contents are left out: earlier results */
export async function findSources(typed: readonly string[], from: string, except?: string): Promise<Sources> {
  const images = new Map<string, Source>();
  const faults: { shown: string; sentence: string }[] = [];
  let passedOver = 0;
  let hasFolder = false;

  const search = async (folder: string, pattern: string): Promise<number> => {
    hasFolder = true;
    const options = { cwd: folder, followSymbolicLinks: false, expandDirectories: false };
    const names = (await glob(pattern, options)).sort();
    for (const name of names) {
      const path = join(folder, name);
      if (except !== undefined && except !== folder && path.startsWith(except + sep)) continue;
      if (!(await isImage(path))) passedOver++;
      else if (!images.has(path)) images.set(path, { path, shown: relative(from, path), below: name });
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
        if (found === 0) faults.push({ shown: name, sentence: 'No file matches this pattern; check it.' });
      } else if (entry.isDirectory()) await search(path, '**/*');
      else if (entry.isFile()) images.set(path, { path, shown: name, below: basename(path) });
      else faults.push({ shown: name, sentence: notAFile(entry.isSymbolicLink()) });
    } catch (error) {
      const sentence = sentenceFor(error);
      if (sentence === undefined) throw error;
      faults.push({ shown: name, sentence });
    }
  }
  return { images: [...images.values()], faults, passedOver, hasFolder };
}

function notAFile(isLink: boolean): string {
  return isLink
    ? 'This is a symbolic link; name the file that it points to.'
    : 'This is neither a file nor a folder.';
}

/** The folders before the first part that is a pattern stay out of what is kept of the structure. */
function splitPattern(name: string): { folder: string; pattern: string } {
  const parts = name.split('/');
  const first = parts.findIndex((part) => isDynamicPattern(part));
  const folder = parts.slice(0, first).join('/');
  return { folder: folder || (name.startsWith('/') ? '/' : '.'), pattern: parts.slice(first).join('/') };
}

/** By its first bytes; what cannot be opened is left for the reading, which says why. */
async function isImage(path: string): Promise<boolean> {
  const entry = await lstat(path);
  if (!entry.isFile()) return false;
  const file = await open(path).catch(() => undefined);
  if (!file) return /\.(jpe?g|png)$/i.test(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SIGNATURE_BYTES), 0, SIGNATURE_BYTES, 0);
    return formatBySignature(buffer.subarray(0, bytesRead)) !== undefined;
  } finally {
    await file.close();
  }
}
