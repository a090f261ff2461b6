/**
 * Installs the dependencies of a part of the repository, unless they are installed. Each part includes the one before it:
 *
 * engine  the library, `ics compress` and `ics check`   package.json
 * server  the service, its page and JPEG XL             server/package.json, codec-packages/jxl/package.json
 * tests   tests, checks and benchmarks                  test/package.json
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, say } from './terminal.mjs';

/** The engine alone is what .npmrc asks for. */
const WITH_WORKSPACES = ['--workspaces', '--include-workspace-root'];

export const PARTS = {
  engine: { manifests: ['.'], selection: [] },
  server: {
    manifests: ['.', 'server', 'codec-packages/jxl'],
    selection: [...WITH_WORKSPACES, '--workspace=server', '--workspace=codec-packages/jxl'],
  },
  tests: { manifests: ['.', 'server', 'codec-packages/jxl', 'test'], selection: WITH_WORKSPACES },
};
// All dependencies have binaries for every supported Node.js, so no install script is needed.
const OPTIONS = ['--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/**
 * @param {'engine' | 'server' | 'tests'} part
 * @param {boolean} isBuilt a finished build needs no development dependencies
 */
export function install(part, isBuilt = false) {
  const { manifests, selection } = PARTS[part];
  const state = stateOf(manifests, isBuilt && part !== 'tests');
  if (state === 'complete') return;
  say(`Installing dependencies of the ${part} (once) ...`);
  // `npm ci` starts anew; what is there and current can stay.
  run('npm', [...(state === 'partial' ? ['install', '--no-save'] : ['ci']), ...selection, ...OPTIONS]);
}

/**
 * Compares npm's own list of what is installed with the lock file: `complete`, `partial` (packages are missing), or `stale`
 * (nothing is installed, or other versions are).
 */
function stateOf(manifests, isProduction) {
  const list = join('node_modules', '.package-lock.json');
  if (!existsSync(list)) return 'stale';
  const { packages: installed } = readJson(list);
  const { packages: locked } = readJson('package-lock.json');
  const isCurrent = Object.entries(installed).every(
    ([path, { version }]) => locked[path] !== undefined && locked[path].version === version,
  );
  if (!isCurrent) return 'stale';
  const isThere = (folder, name) =>
    [`node_modules/${name}`, `${folder}/node_modules/${name}`].some((path) => path in installed);
  const isComplete = manifests.every((folder) => {
    // A container has the list of npm, but not the manifests of folders that it does not need.
    if (isProduction && !existsSync(join(folder, 'package.json'))) return true;
    const { dependencies = {}, devDependencies = {} } = readJson(join(folder, 'package.json'));
    const wanted = isProduction ? dependencies : { ...dependencies, ...devDependencies };
    return Object.keys(wanted).every((name) => isThere(folder, name));
  });
  return isComplete ? 'complete' : 'partial';
}

function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
