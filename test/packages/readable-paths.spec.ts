/** Names what a worker has to read of its packages: a sandbox lets it read these paths. */
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { findPackage, readablePaths } from '../../src/compression/packages/codec-package';
import { folder, formatOf, put, QOI } from './package-folder';

const real = realpathSync(folder);
put('node_modules/image-compression-a/package.json', { imageCompression: formatOf({}), main: 'main.mjs' });
put('node_modules/image-compression-a/main.mjs', QOI);
put('data/service.db', 'secret');

it('a package: its folder, and the node_modules that it imports from', () => {
  const found = findPackage('image-compression-a', folder);
  expect(readablePaths([found])).toEqual([
    join(real, 'node_modules', 'image-compression-a'),
    join(real, 'node_modules'),
  ]);
});

it('a file: itself and its manifest, but not its folder', () => {
  expect(readablePaths([findPackage('./qoi.mjs', folder)])).toEqual([
    join(real, 'qoi.mjs'),
    join(real, 'qoi.json'),
    join(real, 'node_modules'),
  ]);
});
