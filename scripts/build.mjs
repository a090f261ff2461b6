/**
 * Builds dist/: the whole service, or only the engine, which is the library, `ics compress` and `ics check`.
 *
 * `node scripts/build.mjs [engine|server]` installs what the build needs and builds even if dist/ is up to date.
 */
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
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { VENDORED } from './generators/notice.mjs';
import { install } from './install.mjs';
import { fail, run, say } from './terminal.mjs';

const viteConfig = join('config', 'vite.config.mjs');
const buildStamp = join('dist', '.built-from');
const nestConfig = 'nest-cli.json';
const tsc = join('node_modules', 'typescript', 'bin', 'tsc');

const JPEGLI = VENDORED.find(({ name }) => name === 'jpegli');
const [jpegliFile] = Object.keys(JPEGLI.files);
/** The JPEG encoder of the native engine, a WebAssembly module. Only this file of its package is used. */
const jpegli = {
  module: join('node_modules', JPEGLI.package, jpegliFile),
  sha256: JPEGLI.files[jpegliFile],
  licence: join('licenses', 'jpegli.txt'),
  folder: join('compression', 'infrastructure', 'codecs', 'native'),
};

/** The scripts of /docs: ours, and the renderer. Only this file of the renderer's package is used. */
const reference = {
  main: join('src', 'openapi', 'reference', 'reference.js'),
  mark: join('src', 'web', 'page', 'icon.svg'),
  renderer: join('node_modules', '@scalar', 'api-reference', 'dist', 'browser', 'standalone.js'),
  licence: join('licenses', 'scalar.txt'),
  folder: join('openapi', 'reference'),
};

/** Returns whether dist/ holds this part, built from these sources. */
export function isBuilt(part) {
  if (!existsSync(buildStamp)) return false;
  const builtFrom = readFileSync(buildStamp, 'utf8');
  return builtFrom === stampOf('server') || (part === 'engine' && builtFrom === stampOf('engine'));
}

/**
 * Builds into a temporary folder and renames it at the end, so that a service that runs from dist/ never loads half a build. The
 * Nest CLI can only build into dist/, so this calls the compiler with the tsconfig of nest-cli.json. It does not check types:
 * `npm run check` does, and this would double the time of the first start.
 * @param {'engine' | 'server'} part
 */
export function build(part) {
  say(`Building the ${part} ...`);
  const stamp = stampOf(part);
  const aside = `dist.${process.pid}`;
  const { compilerOptions } = JSON.parse(readFileSync(nestConfig, 'utf8'));
  const project = part === 'engine' ? 'tsconfig.engine.json' : compilerOptions.tsConfigPath;
  run(process.execPath, [tsc, '-p', project, '--outDir', aside, '--noCheck']);
  run(process.execPath, [tsc, '-p', 'tsconfig.exports.json', '--outDir', aside]);
  copyJpegli(join(aside, jpegli.folder));
  writeFilters(resolve(aside, 'compression', 'infrastructure', 'sandbox'));
  if (part === 'server') {
    buildPage(join(aside, 'web', 'page'));
    buildReference(join(aside, reference.folder));
  }
  writeFileSync(join(aside, '.built-from'), stamp);
  rmSync('dist', { recursive: true, force: true });
  renameSync(aside, 'dist');
}

function buildPage(folder) {
  const vite = join('node_modules', 'vite', 'bin', 'vite.js');
  const outDir = join(process.cwd(), folder);
  run(process.execPath, [vite, 'build', '--config', viteConfig, '--outDir', outDir, '--logLevel', 'warn']);
  precompress(join(folder, 'assets'));
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

/** Writes the filters of system calls beside the module that makes them. */
function writeFilters(folder) {
  createRequire(import.meta.url)(join(folder, 'system-call-filter.js')).writeFilters(folder);
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
  copyFileSync(reference.mark, join(folder, 'icon.svg'));
  writeFileSync(join(folder, 'scalar.js.gz'), gzipSync(readFileSync(reference.renderer), { level: 9 }));
  copyFileSync(reference.licence, join(folder, 'scalar.LICENSE.txt'));
}

/** What dist/ is made from: a build of the engine has a stamp of its own. */
function stampOf(part) {
  return part === 'engine' ? `${sourceDigest()}-engine` : sourceDigest();
}

function sourceDigest() {
  const sources = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  const configs = ['', '.build', '.engine', '.exports'].map((name) => `tsconfig${name}.json`);
  const others = [nestConfig, 'package-lock.json', viteConfig, jpegli.licence, reference.licence];
  const hash = createHash('sha256');
  for (const file of [...sources, ...configs, ...others])
    hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(dirname(dirname(process.argv[1])));
  const [part = 'server'] = process.argv.slice(2);
  install(part);
  build(part);
}
