/**
 * Packs what others install: `node scripts/pack.mjs [engine|server] [FOLDER]` writes the package and prints its file name.
 *
 * engine  image-compression-service: the library, `ics compress` and `ics check`; the same as `npm pack`
 * server  image-compression-server: all of that, and the service with its page and its accounts
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { prepare, root, userFolder } from './prepare.mjs';
import { fail, run } from './terminal.mjs';

/** A package of its own, which the package of the server brings. */
const JXL = join('codec-packages', 'jxl');

const [part = 'engine', destination = '.'] = process.argv.slice(2);
if (!['engine', 'server'].includes(part)) fail('Usage: node scripts/pack.mjs [engine|server] [FOLDER]');
const folder = resolve(userFolder, destination);
await prepare(part);
if (part === 'engine') pack(root);
else packServer();

/** The server's package needs the dependencies of both manifests, so it is put together in a folder of its own. */
function packServer() {
  const staging = mkdtempSync(join(tmpdir(), 'ics-server-'));
  try {
    for (const name of ['dist', 'examples', 'licenses', 'CHANGELOG.md', 'NOTICE.md', 'README.md'])
      cpSync(name, join(staging, name), { recursive: true });
    const filter = (file) => !/\.test\.mjs$/.test(file);
    cpSync(JXL, join(staging, 'node_modules', 'image-compression-jxl'), { recursive: true, filter });
    writeFileSync(join(staging, 'package.json'), JSON.stringify(serverManifest(), null, 2));
    pack(staging);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

function serverManifest() {
  const [engine, server, jxl] = ['.', 'server', JXL].map((path) =>
    JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')),
  );
  const { license, engines, main, types, exports } = engine;
  const { name, version, description, private: isPrivate, dependencies } = server;
  return {
    ...{ name, version, description, private: isPrivate, license, engines },
    ...{ bin: { ics: 'dist/cli/main.js' }, main, types, exports },
    files: [
      'dist',
      '!dist/**/*.map',
      '!dist/.built-from',
      ...engine.files.filter((path) => !/dist/.test(path)),
    ],
    dependencies: { ...engine.dependencies, ...dependencies, ...jxl.dependencies, [jxl.name]: jxl.version },
    bundleDependencies: [jxl.name],
  };
}

function pack(from) {
  // What is packed was built above.
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  run('npm', args, { cwd: from, stdio: 'inherit' });
}
