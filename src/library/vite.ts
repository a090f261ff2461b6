/** A plug-in for Vite: compresses the images of a build where they are written, and never an original of `public` or of the sources. */
/// <reference types="node" preserve="true" />
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { glob } from 'tinyglobby';
import type { Plugin, ResolvedConfig } from 'vite' with { 'resolution-mode': 'import' };
import type { Formats } from '../contract/formats';
import { bytesText } from '../contract/units';
import { buildId } from '../environment/version';
import { FileFault, findCode } from '../files/file-fault';
import { fileId, identify, isAmong, readWhole, replaceWhole, writeWhole } from '../files/whole-file';
import { withinFolder } from '../files/within-folder';
import { checked, readSettings } from './check-options';
import { CompressionError, InvalidOptionError } from './errors';
import { compress } from './index';
import type { CompressOptions } from './options';

export interface VitePluginOptions extends Omit<CompressOptions, 'format' | 'signal'> {
  /** The folder that keeps results, relative to the root of the project. Default: `image-compression` in Vite's `cacheDir`. */
  readonly cacheDir?: string | undefined;
}

interface Row {
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly isKept: boolean;
}

const NAME = 'image-compression-service';
const MOST_ROWS = 20;
const INLINED = /(data:image\/(?:png|jpeg);base64,)([\w+/]+=*)/g;
const STYLE = /\.(css|less|s[ac]ss|styl|stylus|p(ost)?css|sss)($|\?)/;
const ORIGINAL = 'It is the original itself, not a copy.';

/**
 * Returns a plug-in for builds. A hash in the name of an image follows its result; one that cannot be compressed stays as it was, with
 * a warning.
 * @throws InvalidOptionError
 * @example
 * const { name, apply } = imageCompression({ quality: 'medium' });
 * console.log(`${name}: ${apply}`); // 'image-compression-service: build'
 */
export function imageCompression({ cacheDir, ...options }: VitePluginOptions = {}): Plugin {
  for (const option of ['format', 'signal']) {
    if (option in options)
      throw new InvalidOptionError(option, `${option} is not an option of the Vite plug-in.`);
  }
  const { knownFormats } = readSettings({}, {});
  checked(options, knownFormats);
  const isImage = (name: string) => knownFormats.namedUpload(name) !== undefined;
  let config: ResolvedConfig;
  let results: Results;
  let rows: Row[] = [];

  /** Resolves to undefined if the image stays as it is. */
  const compressed = async (name: string, bytes: Uint8Array, warn: (text: string) => void) => {
    try {
      const { result, isKept } = await results.of(bytes);
      rows.push({ name, before: bytes.length, after: result?.length ?? bytes.length, isKept });
      return result;
    } catch (error) {
      // These would happen to every image.
      if (!(error instanceof CompressionError) || error.code === 'engine_unavailable') throw error;
      warn(`${name} stays as it is: ${error.message}`);
      return undefined;
    }
  };

  /** Compresses the images that Vite has put into a module, a style or a page. */
  const withInlined = async (text: string, name: string, warn: (text: string) => void) => {
    let made = text;
    for (const [uri, start = '', base64 = ''] of text.matchAll(INLINED)) {
      const result = await compressed(name, Buffer.from(base64, 'base64'), warn);
      if (result) made = made.replace(uri, start + Buffer.from(result).toString('base64'));
    }
    return made;
  };

  return {
    name: NAME,
    apply: 'build',
    configResolved(resolved) {
      config = resolved;
      const folder = resolve(config.root, cacheDir ?? join(config.cacheDir, 'image-compression'));
      results = new Results(folder, options, knownFormats);
    },
    // Caches may keep a name with a hash forever: other options or another version give other bytes, and another name.
    outputOptions({ assetFileNames = 'assets/[name]-[hash][extname]', ...output }) {
      return {
        ...output,
        assetFileNames: (asset) => {
          const pattern = typeof assetFileNames === 'function' ? assetFileNames(asset) : assetFileNames;
          const bytes = Buffer.from(asset.source as Uint8Array);
          if (knownFormats.ofUpload(bytes) === undefined) return pattern;
          const digest = results.digestOf(bytes);
          return pattern.replace(/\[hash(?::(\d+))?\]/g, (_, length = 8) => digest.slice(0, Number(length)));
        },
      };
    },
    async transform(code, id) {
      const [path = ''] = id.split('?');
      if (!isImage(path) && !STYLE.test(id)) return;
      const made = await withInlined(code, relative(config.root, path), (text) => this.warn(text));
      return { code: made, map: null };
    },
    generateBundle: {
      order: 'post',
      async handler({ dir }, bundle) {
        const { build, root } = config;
        const warn = (text: string) => this.warn(text);
        await inLanes(Object.values(bundle), async (file) => {
          if (file.type !== 'asset') return;
          if (file.fileName.endsWith('.html'))
            file.source = await withInlined(String(file.source), file.fileName, warn);
          if (!isImage(file.fileName)) return;
          // Absent in the first releases of Vite 5.
          const { originalFileNames = [] } = file as Partial<typeof file>;
          const sources = await identify(originalFileNames.map((name) => resolve(root, name)));
          const output = resolve(root, dir ?? build.outDir, file.fileName);
          if (await isAmong(sources, output)) {
            warn(`${relative(root, output)} stays as it is: ${ORIGINAL}`);
            return;
          }
          const bytes = Buffer.from(file.source as Uint8Array);
          const result = await compressed(file.fileName, bytes, warn);
          if (result) file.source = result;
        });
      },
    },
    async writeBundle({ dir }) {
      const { publicDir, build, root } = config;
      if (!publicDir) return;
      const folder = resolve(root, dir ?? build.outDir);
      const shown = relative(root, folder);
      if (await isAmong(await identify([publicDir]), folder)) {
        this.warn(
          `${shown} stays as it is: outDir is publicDir, so its images are the originals, not copies.`,
        );
        return;
      }
      const found = await glob('**/*', { cwd: publicDir, dot: true, expandDirectories: false });
      const names = found.filter(isImage);
      const sources = await identify(names.map((name) => join(publicDir, name)));
      const compressCopy = async (name: string, copy: string) => {
        const { bytes, stats } = await readWhole(copy);
        if (sources.has(fileId(stats))) throw new FileFault('is_input', ORIGINAL);
        // Other files of the name are not of this build.
        const original = build.copyPublicDir ? await readBytes(join(publicDir, name)) : undefined;
        if (!original?.equals(bytes)) return;
        const result = await compressed(name, original, (text) => this.warn(text));
        if (result) await replaceWhole(copy, result, stats);
      };
      await inLanes(names, async (name) => {
        try {
          await withinFolder(folder, join(folder, name), (copy) => compressCopy(name, copy));
        } catch (error) {
          if (error instanceof FileFault) this.warn(`${join(shown, name)} stays as it is: ${error.message}`);
          // Only one of several builds has a copy of the folder.
          else if (!['ENOENT', 'ENOTDIR'].includes(findCode(error) ?? '')) throw error;
        }
      });
    },
    closeBundle() {
      if (rows.length > 0) config.logger.info(formatTable(rows, relative(config.root, results.folder)));
      rows = [];
    },
  };
}

/** Results by the digest of image, options and version. An empty file stands for an image that stays as it is. */
class Results {
  private readonly recipe: string;

  constructor(
    readonly folder: string,
    private readonly options: CompressOptions,
    private readonly knownFormats: Formats,
  ) {
    this.recipe = JSON.stringify([buildId(), Object.entries(options).sort()]);
  }

  digestOf(bytes: Uint8Array): string {
    return createHash('sha256').update(this.recipe).update('\0').update(bytes).digest('hex');
  }

  async of(bytes: Uint8Array): Promise<{ result: Uint8Array | undefined; isKept: boolean }> {
    const path = join(this.folder, this.digestOf(bytes));
    const kept = await readBytes(path);
    if (kept) return { result: kept.length > 0 ? kept : undefined, isKept: true };
    const { bytes: made, report } = await compress(bytes, this.options);
    // It keeps its name, so it keeps its format.
    const isUnchanged = report.skipped || report.format !== this.knownFormats.ofUpload(bytes);
    const result = isUnchanged ? undefined : made;
    // Another build may read the folder at the same time.
    await writeWhole(path, result ?? Buffer.alloc(0));
    return { result, isKept: false };
  }
}

function readBytes(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch(() => undefined);
}

/** So that not all images are in memory at once. */
async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
}

function formatTable(rows: readonly Row[], folder: string) {
  const sum = (key: 'before' | 'after') => rows.reduce((total, row) => total + row[key], 0);
  const sorted = [...rows].sort((a, b) => b.before - b.after - (a.before - a.after));
  const kept = rows.filter(({ isKept }) => isKept).length;
  const images = rows.length === 1 ? '1 image' : `${rows.length} images`;
  const shown = sorted.slice(0, MOST_ROWS);
  const width = Math.max(...shown.map(({ name }) => name.length));
  const others = rows.length - shown.length;
  return [
    `${NAME}: ${images}, ${formatChange(sum('before'), sum('after'), 0)}, ${kept} from ${folder}`,
    ...shown.map(({ name, before, after }) => `  ${name.padEnd(width)}  ${formatChange(before, after, 8)}`),
    ...(others > 0 ? [`  and ${others} more`] : []),
  ].join('\n');
}

function formatChange(before: number, after: number, width: number) {
  const [from, to] = [before, after].map((bytes) => bytesText(bytes, 1).padStart(width));
  return `${from} -> ${to} (${((after / before - 1) * 100).toFixed(1)}%)`;
}
