/** The manifests of the engine, the server and the tests, and which packages each of them installs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Manifest {
  readonly version: string;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}
const manifest = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
const [engine, server, tests] = [manifest('.'), manifest('server'), manifest('test')];

const sources = ['src', 'config', 'scripts'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(m?[tj]sx?|cjs)$/.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8')),
);
const WITHOUT_IMPORT = ['@types/express', 'pg', 'reflect-metadata'];

it('has one version for both packages, exact versions, and no dependency twice', () => {
  expect([server.version, tests.version]).toEqual([engine.version, engine.version]);
  const all = [engine, server, tests].flatMap(({ dependencies, devDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies }),
  );
  for (const [, version] of all) expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
  expect(new Set(all.map(([name]) => name)).size).toBe(all.length);
});

it('installs nothing with the server that the sources do not import', () => {
  const names = Object.keys({ ...server.dependencies, ...server.devDependencies });
  const unused = names.filter((name) => {
    if (WITHOUT_IMPORT.includes(name)) return false;
    const imported = new RegExp(`['"]${name}(/[^'"]*)?['"]`);
    return !sources.some((text) => imported.test(text));
  });
  expect(unused).toEqual([]);
});

it('keeps what only tests and checks need out of the two installations', () => {
  expect(tests.dependencies).toBeUndefined();
  const installed = Object.keys({
    ...engine.dependencies,
    ...engine.devDependencies,
    ...server.dependencies,
    ...server.devDependencies,
  });
  expect(installed.filter((name) => /jest|eslint|webpack|playwright|cli$|swc|prettier/.test(name))).toEqual(
    [],
  );
});
