/**
 * Brings a checkout to the point where it can run: installs what is missing, builds what is stale. Says nothing
 * and takes a few milliseconds when there is nothing to do. All output goes to standard error, so that a command
 * line behind it keeps standard output for itself.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const installStamp = join(root, 'node_modules', '.installed-for');
const viteConfig = join('config', 'vite.config.mjs');
const buildStamp = join(root, 'dist', '.built-from');

export function prepare() {
  process.chdir(root);
  checkNode();
  const wantedBuild = sourceDigest();
  const isBuilt = readIfThere(buildStamp) === wantedBuild;
  installIfNeeded(isBuilt);
  if (!isBuilt) build(wantedBuild);
}

/** Rebuilds whether it seems needed or not. */
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

/** A finished build can run on production dependencies alone; building needs the development ones too. */
function installIfNeeded(isBuilt) {
  // The compiled SQLite driver belongs to one version of Node's binary interface, hence part of the stamp.
  const wanted = digest([readFileSync(join(root, 'package-lock.json')), process.versions.modules]);
  const [installedFor, extent] = (readIfThere(installStamp) ?? '').split(' ');
  if (installedFor === wanted && (extent === 'all' || isBuilt)) return;
  if (
    isBuilt &&
    process.env.NODE_ENV === 'production' &&
    existsSync(join(root, 'node_modules')) &&
    !installedFor
  )
    return;
  say('Installing dependencies (once; the SQLite driver is compiled where no ready binary can be had) ...');
  run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund']);
  writeFileSync(installStamp, `${wanted} all`);
}

/** Built aside and put in place at the end: a service that runs from dist/ never meets half a build. */
function build(wanted) {
  say('Building ...');
  const aside = join(root, `dist.${process.pid}`);
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
  run(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', aside]);
  const vite = join('node_modules', 'vite', 'bin', 'vite.js');
  const page = join(aside, 'web', 'page');
  run(process.execPath, [vite, 'build', '--config', viteConfig, '--outDir', page, '--logLevel', 'warn']);
  writeFileSync(join(aside, '.built-from'), wanted);
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  renameSync(aside, join(root, 'dist'));
}

function sourceDigest() {
  const sources = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
  const inputs = [
    ...sources,
    ...['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', viteConfig].map((f) => join(root, f)),
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
