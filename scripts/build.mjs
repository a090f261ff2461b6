/**
 * Builds dist/: the whole service, or only the engine, which is the library, `ics compress` and `ics check`.
 *
 * `node scripts/build.mjs [engine|server]` installs what the build needs and builds even if dist/ is up to date.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { VENDORED } from './generators/notice.mjs';
import { install } from './install.mjs';
import { fail, runBeside, say } from './terminal.mjs';

const viteConfig = join('config', 'vite.config.mjs');
const buildStamp = join('dist', '.built-from');
const nestConfig = 'nest-cli.json';
const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
/** WebAssembly in this repository; the rest lies in packages. */
const vendored = VENDORED.filter((one) => !one.package);
const licenceOf = ({ name }) => join('licenses', `${name}.txt`);

/** Returns whether dist/ holds this part, built from these sources. */
export function isBuilt(part) {
  if (!existsSync(buildStamp)) return false;
  const builtFrom = readFileSync(buildStamp, 'utf8');
  return [part, 'server'].some((built) => builtFrom === stampOf(built));
}

/**
 * Builds into a temporary folder and renames it at the end, so that a service that runs from dist/ never loads half a build. The
 * Nest CLI can only build into dist/, so this calls the compiler with the tsconfig of nest-cli.json. It does not check types:
 * `npm run check` does, and this would double the time of the first start.
 * @param {'engine' | 'server'} part
 */
export async function build(part) {
  say(`Building the ${part} ...`);
  const stamp = stampOf(part);
  const aside = `dist.${process.pid}`;
  const { compilerOptions } = JSON.parse(readFileSync(nestConfig, 'utf8'));
  const project = part === 'engine' ? 'tsconfig.engine.json' : compilerOptions.tsConfigPath;
  // Two at a time, for machines of two cores and little memory.
  await Promise.all([
    runBeside(tsc, ['-p', project, '--outDir', aside, '--noCheck']),
    runBeside(tsc, ['-p', 'tsconfig.exports.json', '--outDir', aside]).then(async () => {
      if (part !== 'server') return;
      await buildPage(join('web', 'page'), aside);
      await buildPage(join('openapi', 'reference'), aside, '--base', '/docs/');
    }),
  ]);
  copyVendored(aside);
  // The filters of system calls lie beside the module that makes them.
  const sandbox = resolve(aside, 'compression', 'infrastructure', 'sandbox');
  createRequire(import.meta.url)(join(sandbox, 'system-call-filter.js')).writeFilters(sandbox);
  if (part === 'server') {
    for (const file of ['LICENSE', 'NOTICE']) {
      const source = join('node_modules', 'swagger-ui-dist', file);
      copyFileSync(source, join(aside, 'openapi', 'reference', `swagger-ui.${file}.txt`));
    }
  }
  writeFileSync(join(aside, '.built-from'), stamp);
  rmSync('dist', { recursive: true, force: true });
  renameSync(aside, 'dist');
}

/** Builds a page of src/, and writes the brotli and the gzip of each text file beside it. Photos do not get smaller. */
async function buildPage(page, into, ...options) {
  const vite = join('node_modules', 'vite', 'bin', 'vite.js');
  const folder = resolve(into, page);
  const args = ['--config', viteConfig, '--outDir', folder, '--logLevel', 'warn', ...options];
  await runBeside(vite, ['build', join('src', page), ...args]);
  const assets = join(folder, 'assets');
  for (const name of readdirSync(assets).filter((name) => /\.(js|css|svg)$/.test(name))) {
    const bytes = readFileSync(join(assets, name));
    // The best quality, 11, takes 2 s more for Swagger UI.
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(bytes, { params }));
    writeFileSync(join(assets, `${name}.gz`), gzipSync(bytes, { level: 9 }));
  }
}

/** Copies the WebAssembly of this repository, with its licences. The build fails if a module is not the reviewed one. */
function copyVendored(folder) {
  for (const one of vendored) {
    const [[module, expected]] = Object.entries(one.files);
    const found = createHash('sha256').update(readFileSync(module)).digest('hex');
    if (found !== expected) fail(`${module} has the SHA-256 ${found}, expected ${expected}.`);
    const copy = join(folder, relative('src', module));
    copyFileSync(module, copy);
    copyFileSync(licenceOf(one), copy.replace(/wasm$/, 'LICENSE.txt'));
  }
}

/** What dist/ is made from: a build of the engine has a stamp of its own. */
export function stampOf(part) {
  const sources = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  const configs = ['', '.build', '.engine', '.exports'].map((name) => `tsconfig${name}.json`);
  const others = [nestConfig, 'package-lock.json', viteConfig, ...vendored.map(licenceOf)];
  const hash = createHash('sha256');
  for (const file of [...sources, ...configs, ...others])
    hash.update(file).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex') + (part === 'engine' ? '-engine' : '');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(dirname(dirname(process.argv[1])));
  const [part = 'server'] = process.argv.slice(2);
  install(part);
  await build(part);
}
