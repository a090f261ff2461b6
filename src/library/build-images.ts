/** The images of a build for the web: their results, kept from build to build, the names that follow them, and the table of all. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { types } from 'node:util';
import { glob } from 'tinyglobby';
import { errorMessage } from '../contract/problem';
import { buildId } from '../environment/version';
import { FileFault, findCode } from '../files/file-fault';
import { fileId, readWhole, replaceWhole, writeWhole, type Sources } from '../files/whole-file';
import { withinFolder } from '../files/within-folder';
import { formatChange, formatTotals, type Change } from './changes';
import { checked, readSettings } from './check-options';
import { CompressionError, InvalidOptionError } from './errors';
import { compress } from './index';
import type { CompressOptions } from './options';

export interface BuildOptions extends Omit<CompressOptions, 'format' | 'signal'> {
  /** The folder that keeps results, relative to the root of the project. Default: `image-compression` in the `cacheDir` of Vite or Astro. */
  readonly cacheDir?: string | undefined;
  /** Matches the names, in the output, of images that stay as they are, and the paths of modules whose inlined images do. Default: none. */
  readonly exclude?: RegExp | undefined;
}

interface Row extends Change {
  readonly name: string;
  readonly isKept: boolean;
}

type Warn = (text: string) => void;

export const ORIGINAL = 'It is the original itself, not a copy.';
const MOST_ROWS = 20;
const INLINED = /(data:image\/(?:png|jpeg);base64,)([\w+/]+=*)/g;
export const { knownFormats } = readSettings({}, {});

export const isImage = (name: string) => knownFormats.namedUpload(name) !== undefined;

/** Returns names below a folder, hidden ones too. */
export async function findImages(folder: string): Promise<string[]> {
  const found = await glob('**/*', { cwd: folder, dot: true, expandDirectories: false });
  return found.filter(isImage);
}

/** @throws InvalidOptionError */
export function checkBuildOptions({ cacheDir, exclude, ...options }: BuildOptions) {
  if (exclude !== undefined && !types.isRegExp(exclude))
    throw new InvalidOptionError('exclude', 'exclude must be a regular expression, such as /normal-maps/.');
  for (const option of ['format', 'signal']) {
    if (option in options)
      throw new InvalidOptionError(option, `${option} is not an option of the plug-ins for builds.`);
  }
  checked(options, knownFormats);
  return { cacheDir, exclude, options };
}

export class BuildImages {
  private readonly recipe: string;
  /** Keeps results. */
  private readonly folder: string;
  private rows: Row[] = [];
  private isReadOnly = false;

  constructor(
    private readonly root: string,
    toolsCacheDir: string,
    private readonly given: ReturnType<typeof checkBuildOptions>,
  ) {
    const { cacheDir = join(toolsCacheDir, 'image-compression'), options } = given;
    this.recipe = JSON.stringify([buildId(), Object.entries(options).sort()]);
    this.folder = resolve(root, cacheDir);
  }

  /** Stands for the result: it follows the image, the options and the version. */
  digestOf(bytes: Uint8Array): string {
    return createHash('sha256').update(this.recipe).update('\0').update(bytes).digest('hex');
  }

  /** Resolves to undefined if the image stays as it is. */
  async compressed(name: string, bytes: Uint8Array, warn: Warn): Promise<Uint8Array | undefined> {
    const { exclude } = this.given;
    // Unlike test(), it begins at the start of each name.
    if (exclude && name.search(exclude) >= 0) return undefined;
    try {
      const { result, isKept } = await this.resultOf(bytes, warn);
      this.rows.push({ name, before: bytes.length, after: result?.length ?? bytes.length, isKept });
      return result;
    } catch (error) {
      // These would happen to every image.
      if (!(error instanceof CompressionError) || error.code === 'engine_unavailable') throw error;
      warn(`${name} stays as it is: ${error.message}`);
      return undefined;
    }
  }

  /** Compresses the images that Vite has put into a module, a style or a page. */
  async withInlined(text: string, name: string, warn: Warn): Promise<string> {
    let made = text;
    for (const [uri, start, base64] of text.matchAll(INLINED)) {
      const result = await this.compressed(name, Buffer.from(base64, 'base64'), warn);
      if (result) made = made.replace(uri, start + Buffer.from(result).toString('base64'));
    }
    return made;
  }

  /**
   * Replaces files of a folder, but no link and none of `sources`. It passes over names that are not there.
   * @param isMade whether the build has made a file
   */
  async replaceIn(
    folder: string,
    names: readonly string[],
    sources: Sources,
    warn: Warn,
    isMade: (name: string, bytes: Buffer) => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<void> {
    const replace = async (name: string, path: string) => {
      const { bytes, stats } = await readWhole(path);
      if (sources.has(fileId(stats))) throw new FileFault('is_input', ORIGINAL);
      if (!(await isMade(name, bytes))) return;
      const result = await this.compressed(name, bytes, warn);
      if (result) await replaceWhole(path, result, stats);
    };
    await inLanes(names, async (name) => {
      try {
        await withinFolder(folder, join(folder, name), (path) => replace(name, path));
      } catch (error) {
        if (error instanceof FileFault)
          warn(`${this.shown(join(folder, name))} stays as it is: ${error.message}`);
        else if (!['ENOENT', 'ENOTDIR'].includes(findCode(error) ?? '')) throw error;
      }
    });
  }

  /** Returns the table of the images since the last one, or undefined if there were none. */
  takeTable(): string | undefined {
    const { rows } = this;
    this.rows = [];
    return rows.length > 0 ? formatTable(rows, this.shown(this.folder)) : undefined;
  }

  shown(path: string): string {
    return relative(this.root, path);
  }

  /** An empty result stands for an image that stays as it is. */
  private async resultOf(
    bytes: Uint8Array,
    warn: Warn,
  ): Promise<{ result: Uint8Array | undefined; isKept: boolean }> {
    const path = join(this.folder, this.digestOf(bytes));
    const kept = unsealed(await readBytes(path));
    if (kept) return { result: kept.length > 0 ? kept : undefined, isKept: true };
    const { bytes: made, report } = await compress(bytes, this.given.options);
    // It keeps its name, so it keeps its format.
    const isUnchanged = report.skipped || report.format !== knownFormats.ofUpload(bytes);
    const result = isUnchanged ? undefined : made;
    // Another build may read the folder at the same time.
    await writeWhole(path, sealed(result ?? Buffer.alloc(0))).catch((error: unknown) => {
      if (!this.isReadOnly) warn(`Results cannot be kept: ${errorMessage(error)}`);
      this.isReadOnly = true;
    });
    return { result, isKept: false };
  }
}

/** Puts the SHA-256 of a result before it: a full disk, or a cache that was restored in part, may truncate the file. */
function sealed(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([sealOf(bytes), bytes]);
}

function unsealed(entry: Buffer | undefined): Buffer | undefined {
  if (!entry) return undefined;
  const bytes = entry.subarray(SEAL_BYTES);
  return sealOf(bytes).equals(entry.subarray(0, SEAL_BYTES)) ? bytes : undefined;
}

const SEAL_BYTES = 32;

function sealOf(bytes: Uint8Array) {
  return createHash('sha256').update(bytes).digest();
}

export function readBytes(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(() => undefined);
}

/** So that not all images are in memory at once. */
export async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
}

function formatTable(rows: readonly Row[], folder: string) {
  const sorted = [...rows].sort((a, b) => b.before - b.after - (a.before - a.after));
  const kept = rows.filter(({ isKept }) => isKept).length;
  const shown = sorted.slice(0, MOST_ROWS);
  const width = Math.max(...shown.map(({ name }) => name.length));
  const others = rows.length - shown.length;
  return [
    `${formatTotals(rows)}, ${kept} from ${folder}`,
    ...shown.map(
      ({ name, before, after }) => `  ${name.padEnd(width)}  ${formatChange({ before, after }, 8)}`,
    ),
    ...(others > 0 ? [`  and ${others} more`] : []),
  ].join('\n');
}
