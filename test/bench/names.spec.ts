/** The benchmarks and fuzzers load the built service by names that no compiler checks. */
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PROJECT } from '../support/folders';

const fromDist = createRequire(PROJECT.path('dist/main.js'));
const DESTRUCTURED = /\{([^{}]*)\}\s*=\s*load\(\s*'([^']+)',?\s*\)(?!\s*\.)/g;
const MEMBER = /load\(\s*'([^']+)',?\s*\)\s*\.(\w+)/g;

const scripts = ['bench', 'bench/calibration', 'fuzz', 'fuzz/targets'].flatMap((folder) =>
  readdirSync(PROJECT.path(`test/${folder}`))
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => `test/${folder}/${name}`),
);

/** Pairs of a file of dist/ and a name that a script takes from it. */
function namesIn(script: string): (readonly [string, string])[] {
  const text = PROJECT.text(script);
  const listed = [...text.matchAll(DESTRUCTURED)].flatMap(([, names, path]) =>
    names
      .split(',')
      .map((name) => name.split(':')[0].trim())
      .filter((name) => name !== '')
      .map((name) => [path, name] as const),
  );
  return [...listed, ...[...text.matchAll(MEMBER)].map(([, path, name]) => [path, name] as const)];
}

it('all names exist that benchmarks and fuzzers take from the build', () => {
  const names = scripts.flatMap((script) => namesIn(script));
  expect(names.length).toBeGreaterThan(10);
  const missing = names.filter(
    ([path, name]) => !(name in (fromDist(`./${path}`) as Record<string, unknown>)),
  );
  expect(missing).toEqual([]);
});
