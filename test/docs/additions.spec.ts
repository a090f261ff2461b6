/** CONTRIBUTING names the files that an addition changes: an example of each kind is in these files of src, and in no other. */
import { globSync } from 'tinyglobby';
import { PROJECT, ROOT } from '../support/folders';

const CONTRIBUTING = PROJECT.text('CONTRIBUTING.md');
const SOURCES = globSync('src/**/*.{ts,tsx}', { cwd: ROOT }).map((file) => {
  // Without comments, paths of modules and sentences.
  const isLeftOut = (part: string) => /^(\/|from|import)| /.test(part);
  const parts = /\/\*[^]*?\*\/|\/\/.*|((from |import\()?)(['"`])(?:\\.|(?!\3)[^\\\n])*\3/g;
  return { file, code: PROJECT.text(file).replace(parts, (part) => (isLeftOut(part) ? '' : part)) };
});

/** Returns the items of Add that begin with the kind, each name in backticks as a pattern of files. */
function namedFor(kind: string) {
  const item = new RegExp(`^- \\*\\*${kind}\\*\\*[^]*?(?=\\n- |\\n\\n)`, 'm').exec(CONTRIBUTING)?.[0] ?? '';
  return [...item.matchAll(/`(\S*[*/]\S*)`/g)].map(([, name]) => name);
}

function judge(names: readonly string[], example: RegExp) {
  const found = SOURCES.filter(({ code }) => example.test(code)).map(({ file }) => file);
  const named = names.map((name) => ({
    name,
    files: globSync(name.startsWith('src/') ? name : `src/**/${name}`, { cwd: ROOT }),
  }));
  return {
    notNamed: found.filter((file) => !named.some(({ files }) => files.includes(file))),
    notUsed: named.filter(({ files }) => !files.some((file) => found.includes(file))).map(({ name }) => name),
  };
}

it.each([
  ['A setting', /\bSHUTDOWN_GRACE_MS\b/],
  ['An option of images', /\bEFFORT\b/],
  ['A header', /X-Skipped/],
  ['A report field', /\bjpegEstimate\b|X-JPEG-Estimate/],
  ['A result format', /\bavif\b/],
])('%s changes the files that CONTRIBUTING names', (kind, example) => {
  expect(judge(namedFor(kind), example)).toEqual({ notNamed: [], notUsed: [] });
});

it('notices a file that is not named, and a name without need', () => {
  const verdict = judge(['src/contract/report.ts', 'src/tinify'], /X-Skipped/);
  expect(verdict.notUsed).toEqual(['src/contract/report.ts', 'src/tinify']);
  expect(verdict.notNamed).toContain('src/contract/headers.ts');
});
