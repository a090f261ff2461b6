/**
 * Finds the images that the user typed: files, folders and patterns. A file in a folder is judged by its
 * first bytes, and skipped if it is not an image; a file that was typed is always tried, so that the user
 * learns why it fails.
 */
import type { Formats, ResultFormatName } from '../../contract/formats';
import { constants } from 'node:fs';
import { access, lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join, parse, relative, resolve, sep } from 'node:path';
import { glob, isDynamicPattern } from 'tinyglobby';
import { userFolder, userPath } from '../../environment/settings-slice';
import { FileFault } from '../../files/file-fault';
import { identify, type Sources } from '../../files/whole-file';
import { describeFault, type Fault } from './file-faults';
import { sniff } from './sniff';

export interface Input {
  readonly path: string;
  /** The folder that the user named; below it no link is followed. */
  readonly root: string;
  /** As the user would write it. */
  readonly shown: string;
  /** Where it belongs below an output folder. */
  readonly below: string;
  /** By its first bytes; undefined for a file that is tried although it is no image. */
  readonly format?: ResultFormatName | undefined;
}

export interface Inputs {
  readonly images: readonly Input[];
  /** The images, which no result may replace. */
  readonly sources: Sources;
  readonly faults: readonly ({ readonly shown: string } & Fault)[];
  /** In folders: files that are no images by their first bytes. Links do not count. */
  readonly passedOver: number;
  /** Those of them that are named like an image, with what they are instead. */
  readonly misnamed: readonly { readonly shown: string; readonly sentence: string }[];
  /** Such as photo.jpg.orig beside photo.jpg. */
  readonly backups: number;
  /** Whether anything came from a folder or a pattern. */
  readonly hasFolder: boolean;
}

export interface SearchOptions {
  /** What counts as an image. */
  readonly formats: Formats;
  readonly isRecursive?: boolean;
  /** Returns the files of a folder that was named, relative to it; all that are not hidden by default. */
  readonly list?: (folder: string) => Promise<string[]>;
  /** `folder` is the one that was named; undefined for a file that was named itself. */
  readonly isLeftOut?: (path: string, folder?: string) => boolean | Promise<boolean>;
  /** Links that are named are left out instead of refused, and names of images in a folder are believed. */
  readonly isOfRepository?: boolean;
}

/** @param typed names of files and folders, and patterns, relative to the user's folder. What is wrong with one is a fault */
export async function findInputs(typed: readonly string[], options: SearchOptions): Promise<Inputs> {
  const search = new InputSearch(options);
  for (const name of typed) await search.add(name);
  const { faults, misnamed, passedOver, backups, hasFolder } = search;
  const images = [...search.images.values()];
  const sources = await identify(images.map(({ path }) => path));
  return { images, sources, faults, misnamed, passedOver, backups, hasFolder };
}

class InputSearch {
  /** By path, so that an image which is named twice is found once. */
  readonly images = new Map<string, Input>();
  readonly faults: Inputs['faults'][number][] = [];
  readonly misnamed: Inputs['misnamed'][number][] = [];
  passedOver = 0;
  backups = 0;
  hasFolder = false;

  constructor(private readonly options: SearchOptions) {}

  async add(name: string): Promise<void> {
    try {
      await this.find(name);
    } catch (error) {
      this.faults.push({ shown: name, ...describeFault(error) });
    }
  }

  /** A file may be named like a pattern, so the name itself comes first. */
  private async find(name: string) {
    if (name === '') throw new FileFault('no_name', 'The name is empty.');
    if (await isUnreadable(userFolder, name)) throw new FileFault(...UNREADABLE);
    const path = userPath(name);
    const entry = await lstat(path).catch((error: unknown) => {
      if (!isDynamicPattern(name)) throw error;
    });
    if (!entry) await this.addPattern(name);
    else if (entry.isDirectory()) await this.addFolder(path);
    else if (entry.isFile()) await this.addFile(path, name);
    else if (!this.options.isOfRepository) throw notAFile(entry.isSymbolicLink());
  }

  private async addPattern(name: string) {
    const { folder, pattern } = splitPattern(name);
    const path = userPath(folder);
    const names = await listFiles(path, pattern);
    if (names.length === 0) throw new FileFault('no_match', 'No file matches this pattern. Check it.');
    await this.addFound(path, names);
  }

  private async addFolder(path: string) {
    const { isRecursive = true, list } = this.options;
    await access(path, LISTABLE);
    await this.addFound(path, await (list?.(path) ?? listFiles(path, isRecursive ? '**/*' : '*')));
  }

  private async addFile(path: string, shown: string) {
    if (await this.options.isLeftOut?.(path)) return;
    const { format } = await sniff(path, this.options.formats);
    this.images.set(path, { path, root: dirname(path), shown, below: basename(path), format });
  }

  private async addFound(folder: string, names: readonly string[]) {
    const { formats, isLeftOut, isOfRepository } = this.options;
    this.hasFolder = true;
    for (const name of [...names].sort()) {
      const path = join(folder, name);
      if (await isLeftOut?.(path, folder)) continue;
      const shown = relative(userFolder, path);
      if (await isUnreadable(folder, name)) {
        const [code, sentence] = UNREADABLE;
        if (formats.namedUpload(name) !== undefined || name.endsWith('/'))
          this.faults.push({ shown, code, sentence });
        continue;
      }
      if (name.endsWith('/')) {
        const fault = await access(path, LISTABLE).catch(describeFault);
        if (fault) this.faults.push({ shown, ...fault });
        continue;
      }
      const { format, misnamed } = await sniff(path, formats);
      // In a repository a damaged image is reported; elsewhere a file that is not one by its first bytes is skipped.
      const isBelieved = isOfRepository && formats.namedUpload(path) !== undefined;
      if (format === undefined && !isBelieved) {
        this.passedOver++;
        if (misnamed !== undefined) this.misnamed.push({ shown, sentence: misnamed });
      } else if (await isBackup(path, formats)) this.backups++;
      else if (!this.images.has(path))
        this.images.set(path, { path, root: folder, shown, below: name, format });
    }
  }
}

/**
 * Returns files that match a pattern, relative to the folder, without hidden ones and those behind links; with a slash at the end also
 * folders that cannot be read.
 */
export async function listFiles(folder: string, pattern: string, ignore: string[] = []): Promise<string[]> {
  const search = { cwd: folder, ignore, followSymbolicLinks: false, expandDirectories: false };
  const files = await glob(pattern, search);
  if (!pattern.includes('**')) return files;
  const folders = await glob('**', { ...search, onlyDirectories: true });
  const isOpen = await Promise.all(
    folders.map((name) =>
      access(join(folder, name), LISTABLE).then(
        () => !name.includes(NOT_UTF8),
        () => false,
      ),
    ),
  );
  return [...files, ...folders.filter((_, i) => !isOpen[i])];
}

const LISTABLE = constants.R_OK | constants.X_OK;

/** What Node.js shows in place of bytes that are not UTF-8. */
const NOT_UTF8 = '\uFFFD';
const UNREADABLE = [
  'name_not_utf8',
  'The name is not valid UTF-8, so what it names cannot be opened. Rename it.',
] as const;

/** Returns whether a listing has the name, or a folder in it, but not so that it can be opened. */
export async function isUnreadable(folder: string, name: string): Promise<boolean> {
  const [part = ''] = new RegExp(`^.*?${NOT_UTF8}[^/]*`, 's').exec(name) ?? [];
  const path = resolve(folder, part);
  if (part === '' || (await lstat(path).catch(() => undefined))) return false;
  const names: string[] = await readdir(dirname(path)).catch(() => []);
  return names.includes(basename(path));
}

function notAFile(isLink: boolean) {
  return isLink
    ? new FileFault('symbolic_link', 'This is a symbolic link. Name the file that it points to.')
    : new FileFault('not_a_file', 'This is neither a file nor a folder.');
}

/** The folders before the pattern are not repeated below the output folder. */
function splitPattern(name: string) {
  const parts = name.split('/');
  const first = parts.findIndex((part) => isDynamicPattern(part));
  const folder = parts.slice(0, first).join('/');
  return { folder: folder || (name.startsWith('/') ? '/' : '.'), pattern: parts.slice(first).join('/') };
}

/** With slashes. Only on Windows, a backslash separates folders. */
export function removeExtension(name: string): string {
  return (sep === '\\' ? name.replaceAll('\\', '/') : name).replace(/\.[^./]*$/, '');
}

/** Whether the file is an earlier result in an output folder below the named one. */
export function isBelow(output: string, path: string, folder?: string): boolean {
  const results = userPath(output);
  return folder !== undefined && isIn(folder, results) && isIn(results, path);
}

const isIn = (folder: string, path: string) => path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** Whether a file is named like an image beside it, of any format, with the suffix before the extension; or at the end. */
export async function isResult(path: string, suffix: string, { uploads }: Formats): Promise<boolean> {
  const { dir, base, name, ext } = parse(path);
  const stem = name.endsWith(suffix) ? name : base;
  if (!stem.endsWith(suffix)) return false;
  const others = uploads.extensions.flatMap((one) => [`.${one}`, `.${one.toUpperCase()}`]);
  const isThere = ['', ext, ...others].map((ending) =>
    isFile(join(dir, stem.slice(0, -suffix.length) + ending)),
  );
  return (await Promise.all(isThere)).includes(true);
}

async function isBackup(path: string, formats: Formats) {
  if (formats.namedUpload(path) !== undefined) return false;
  const endings = formats.uploads.extensions.join('|');
  // The name of an image at the start of another name. 255 bytes are the longest name of most file systems.
  const original = new RegExp(`^.{0,255}\\.(?:${endings})(?=.)`, 'is').exec(basename(path));
  return original !== null && isFile(join(dirname(path), original[0]));
}

async function isFile(path: string) {
  return (await lstat(path).catch(() => undefined))?.isFile() === true;
}
