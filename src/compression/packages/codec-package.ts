/** Finds codec packages and reads their manifests. Runs no code of theirs: see load-package.ts. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { exports as exportsOf } from 'resolve.exports';
import type { Formats } from '../../contract/formats';
import { MEBIBYTE } from '../../contract/units';
import { MANIFEST_KEY, readManifest, type Manifest } from './manifest';

export interface CodecPackage {
  readonly specifier: string;
  /** Absolute: the folder of a package, or the file. Finds the same package again from anywhere. */
  readonly path: string;
  /** The module that workers load; absolute. */
  readonly entry: string;
  readonly manifest: Manifest;
  /** Changes with the code and the manifest; results of different packages must not be mistaken for each other. */
  readonly digest: string;
}

/** The specifier names no usable package. The message is the end of a sentence that starts with the setting. */
export class PackageFault extends Error {}

/** A package fails with an image that is not at fault. The message is a sentence for the operator, without a stop. */
export class PackageFailed extends Error {}

/** Returns the end of a sentence. @param cause how the process ended; undefined if it is still loading */
export function loadingFault(path: string, cause?: string): string {
  return cause === undefined
    ? `${path} does not finish loading`
    : `${path} ended its process while loading: ${cause}`;
}

/** @throws PackageFault as findPackage does, and when it declares no format or one whose name is taken */
export function findFormatPackage(
  specifier: string,
  from: string,
  known: Formats,
): { readonly found: CodecPackage; readonly knownFormats: Formats } {
  const found = findPackage(specifier, from);
  const { format } = found.manifest;
  if (!format) throw new PackageFault(`${specifier} declares no format`);
  const { name, bytesPerPixel, baseMegabytes, uploads: isUpload } = format;
  const { label, mediaType, extensions, signatures } = format;
  const perPixel = { opaque: bytesPerPixel, transparent: bytesPerPixel };
  const memory = { bytesPerPixel: perPixel, baseBytes: baseMegabytes * MEBIBYTE };
  const facts = { label, mediaType, extensions, signatures, memory, isUpload, owner: found.path };
  const knownFormats = known.with(name, { ...facts, ...(isUpload && { decoding: memory }) });
  if (typeof knownFormats === 'string') throw new PackageFault(`${specifier}: ${knownFormats}`);
  return { found, knownFormats };
}

/** @throws PackageFault as findPackage does, and when it declares no engine */
export function findEnginePackage(
  specifier: string,
  from: string,
): CodecPackage & { readonly memoryFactor: number } {
  const found = findPackage(specifier, from);
  const { engine } = found.manifest;
  if (!engine) throw new PackageFault(`${specifier} declares no engine`);
  return { ...found, memoryFactor: engine.memoryFactor };
}

/**
 * @param specifier the name or folder of a package, or a file, as in `import`
 * @throws PackageFault when there is no such package, or its manifest cannot be used
 */
export function findPackage(specifier: string, from: string): CodecPackage {
  const isPath = isAbsolute(specifier) || /^\.{1,2}(\/|\\|$)/.test(specifier);
  const found = isPath ? resolve(from, specifier) : installedFolder(specifier, from);
  if (found === undefined)
    throw new PackageFault(`the package ${specifier} is not installed in ${from} or above it`);
  if (!existsSync(found)) throw new PackageFault(`${specifier} does not exist`);
  const path = realpathSync(found);
  return statSync(path).isDirectory() ? packageIn(path, specifier) : readFilePackage(path, specifier);
}

function installedFolder(name: string, from: string) {
  const folders = createRequire(join(from, 'import.js')).resolve.paths(name) ?? [];
  return folders
    .map((folder) => join(folder, name))
    .find((folder) => existsSync(join(folder, 'package.json')));
}

function packageIn(path: string, specifier: string): CodecPackage {
  const file = join(path, 'package.json');
  if (!existsSync(file)) throw new PackageFault(`${specifier} has no package.json`);
  const text = readFileSync(file, 'utf8');
  const declared = parsed(text, `the package.json of ${specifier}`);
  if (declared[MANIFEST_KEY] === undefined)
    throw new PackageFault(`${specifier} is no codec package: its package.json has no "${MANIFEST_KEY}"`);
  const entry = findEntry(path, declared);
  if (entry === undefined) throw new PackageFault(`${specifier} has no module that can be imported`);
  return made({ specifier, path, entry, text }, declared[MANIFEST_KEY], `${MANIFEST_KEY} of ${specifier}`);
}

function readFilePackage(path: string, specifier: string): CodecPackage {
  const file = path.replace(/\.[^./\\]+$/, '.json');
  const name = `${specifier.replace(/\.[^./\\]+$/, '')}.json`;
  if (!existsSync(file) || file === path)
    throw new PackageFault(`${specifier} has no manifest: there is no ${name} beside it`);
  const text = readFileSync(file, 'utf8');
  return made({ specifier, path, entry: path, text }, parsed(text, name), name);
}

function parsed(text: string, name: string) {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The sentence below fits both.
  }
  throw new PackageFault(`${name} is not a JSON object`);
}

function made(
  { text, ...found }: Omit<CodecPackage, 'manifest' | 'digest'> & { readonly text: string },
  declared: unknown,
  name: string,
): CodecPackage {
  const manifest = readManifest(declared);
  if (typeof manifest === 'string') throw new PackageFault(`${name}: ${manifest}`);
  const digest = createHash('sha256').update(text).update(readFileSync(found.entry)).digest('hex');
  return { ...found, manifest, digest };
}

/** Returns the module that `import` would take; undefined if it does not exist. */
function findEntry(folder: string, declared: Record<string, unknown>) {
  const { resolve: resolved } = createRequire(join(folder, 'import.js'));
  try {
    // It throws if the package exports nothing under its own name.
    const [exported = ''] = declared['exports'] === undefined ? [] : (exportsOf(declared, '.') as string[]);
    return resolved(join(folder, exported));
  } catch {
    return undefined;
  }
}

/** For the sandbox: the packages, and the `node_modules` that they import from; a file with its manifest. */
export function readablePaths(packages: readonly CodecPackage[]): string[] {
  const paths = packages.flatMap(({ path, entry }) => {
    const imports = (createRequire(entry).resolve.paths('x') ?? []).filter(
      (folder) => entry.startsWith(dirname(folder)) && existsSync(folder),
    );
    const own = path === entry ? [path, path.replace(/\.[^./\\]+$/, '.json')] : [path];
    return [...own, ...imports];
  });
  return [...new Set(paths)];
}
