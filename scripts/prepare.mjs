/**
 * Makes a checkout ready to run: installs missing dependencies and rebuilds a stale dist/. If there is nothing to do, it prints
 * nothing and takes a few milliseconds. All output goes to standard error, because standard output belongs to the command line.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installStamp = join(root, 'node_modules', '.installed-for');
const viteConfig = join('config', 'vite.config.mjs');
const buildStamp = join(root, 'dist', '.built-from');
const nestConfig = 'nest-cli.json';
/**
 * Node.js 20 runs version 12 of the SQLite driver, the only dependency that needs its install script. Newer versions
 * of Node.js install without scripts and without a compiler.
 */
const compilesSqlite = Number(process.versions.node.split('.')[0]) < 22;

/** The JPEG encoder of the native engine, a WebAssembly module. Only this file of its package is used. */
const jpegli = {
  module: join('node_modules', '@samatech', 'image-opt', 'dist', 'jpegli.wasm'),
  sha256: '2e77a02e8d7a1a223273ebd4173679f4ea9e7952d7a33b17b9b96081953e1a46',
  licence: join('licenses', 'jpegli.txt'),
  folder: join('compression', 'infrastructure', 'codecs', 'native'),
};

/** The scripts of /docs: ours, and the renderer. Only this file of the renderer's package is used. */
const reference = {
  main: join('src', 'openapi', 'reference', 'reference.js'),
  renderer: join('node_modules', '@scalar', 'api-reference', 'dist', 'browser', 'standalone.js'),
  licence: join('licenses', 'scalar.txt'),
  folder: join('openapi', 'reference'),
};

export function prepare() {
  process.chdir(root);
  checkNode();
  const wantedBuild = sourceDigest();
  const isBuilt = readIfThere(buildStamp) === wantedBuild;
  installIfNeeded(isBuilt);
  if (!isBuilt) build(wantedBuild);
}

/** Rebuilds dist/ even if it is up to date. */
export function rebuild() {
  process.chdir(root);
  checkNode();
  installIfNeeded(false);
  build(sourceDigest());
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    fail(`Node.js 20.19 or newer is needed; this is ${process.version}.`);
}

/** A finished build needs production dependencies only; building also needs development dependencies. */
function installIfNeeded(isBuilt) {
  const lock = digest([readFileSync(join(root, 'package-lock.json'))]);
  const wanted = [lock, compilesSqlite ? `abi-${process.versions.modules}` : ''].join(' ').trim();
  const installedFor = readIfThere(installStamp);
  // An installation with the compiled SQLite driver also works on newer versions of Node.js.
  if (installedFor === wanted || installedFor?.startsWith(`${wanted} `)) return;
  if (
    isBuilt &&
    process.env.NODE_ENV === 'production' &&
    existsSync(join(root, 'node_modules')) &&
    !installedFor
  )
    return;
  const scripts = compilesSqlite ? [] : ['--ignore-scripts'];
  say('Installing dependencies (once; this takes 1 to 4 minutes) ...');
  if (compilesSqlite)
    say(
      'On Node.js 20 npm warns about unsupported engines, which is expected, and may have to compile SQLite.',
    );
  run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', ...scripts]);
  // npm leaves out an optional dependency that does not compile, without an error.
  if (compilesSqlite && !existsSync(join(root, 'node_modules', 'better-sqlite3-node20')))
    fail(
      'The SQLite driver could not be compiled. Install a C++ compiler and Python, or use Node.js 22 or newer.',
    );
  writeFileSync(installStamp, wanted);
}

/**
 * Builds into a temporary folder and renames it at the end, so that a service that runs from dist/ never loads half a build. The
 * Nest CLI can only build into dist/, so this calls the compiler with the tsconfig of nest-cli.json.
 */
function build(wanted) {
  say('Building ...');
  const aside = join(root, `dist.${process.pid}`);
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
  const { compilerOptions } = JSON.parse(readFileSync(nestConfig, 'utf8'));
  run(process.execPath, [tsc, '-p', compilerOptions.tsConfigPath, '--outDir', aside]);
  run(process.execPath, [tsc, '-p', 'tsconfig.exports.json', '--outDir', aside]);
  const vite = join('node_modules', 'vite', 'bin', 'vite.js');
  const page = join(aside, 'web', 'page');
  run(process.execPath, [vite, 'build', '--config', viteConfig, '--outDir', page, '--logLevel', 'warn']);
  precompress(join(page, 'assets'));
  copyJpegli(join(aside, jpegli.folder));
  buildReference(join(aside, reference.folder));
  writeFileSync(join(aside, '.built-from'), wanted);
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  renameSync(aside, join(root, 'dist'));
}

/** Writes the brotli and the gzip of each text file beside it, as browsers fetch them. Photos do not get smaller. */
function precompress(folder) {
  for (const name of readdirSync(folder).filter((name) => /\.(js|css|svg)$/.test(name))) {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    writeFileSync(`${path}.br`, brotliCompressSync(bytes));
    writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  }
}

/** Copies the module and its licences. The build fails if the module is not the reviewed one. */
function copyJpegli(folder) {
  const found = createHash('sha256').update(readFileSync(jpegli.module)).digest('hex');
  if (found !== jpegli.sha256) fail(`${jpegli.module} has the SHA-256 ${found}, expected ${jpegli.sha256}.`);
  copyFileSync(jpegli.module, join(folder, 'jpegli.wasm'));
  copyFileSync(jpegli.licence, join(folder, 'jpegli.LICENSE.txt'));
}

/** Stores the renderer gzipped, as it is served. */
function buildReference(folder) {
  mkdirSync(folder, { recursive: true });
  copyFileSync(reference.main, join(folder, 'reference.js'));
  writeFileSync(join(folder, 'scalar.js.gz'), gzipSync(readFileSync(reference.renderer), { level: 9 }));
  copyFileSync(reference.licence, join(folder, 'scalar.LICENSE.txt'));
}

function sourceDigest() {
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  const inputs = [
    ...sources,
    ...[
      nestConfig,
      'tsconfig.json',
      'tsconfig.build.json',
      'tsconfig.exports.json',
      'package-lock.json',
      viteConfig,
      jpegli.licence,
      reference.licence,
    ].map((f) => join(root, f)),
  ];
  return digest(inputs.flatMap((file) => [file.slice(root.length), readFileSync(file)]));
}

function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex');
}

function readIfThere(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (error || status !== 0)
    fail(`"${command} ${args.join(' ')}" failed${error ? `: ${error.message}` : ''}.`);
}

function say(message) {
  process.stderr.write(`${message}\n`);
}

function fail(message) {
  say(message);
  process.exit(1);
}
