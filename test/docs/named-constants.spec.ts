/** docs/limits.md and SECURITY.md name what holds each limit, as `NAME` in `src/FILE`, where it is declared. */
import { existsSync } from 'node:fs';
import { PROJECT } from '../support/folders';

const PAGES = ['docs/limits.md', 'SECURITY.md'];

interface Named {
  readonly name: string;
  readonly file: string;
}

/** Returns what a text names; `A`, `B` in `src/FILE` names two. */
function namedIn(text: string): Named[] {
  return [...text.matchAll(/((?:`\w+`,\s+)*`\w+`)\s+in\s+`(src\/[^`]+)`/g)].flatMap(([, names, file]) =>
    [...names.matchAll(/\w+/g)].map(([name]) => ({ name, file })),
  );
}

/** Returns whether a file declares a constant, a function, a class or a member; a mention in a comment is not enough. */
function declares({ name, file }: Named) {
  const declaration = `\\b(?:const|function|class|readonly)\\s+${name}\\b|^\\s*${name}\\s*[:(]`;
  return existsSync(PROJECT.path(file)) && new RegExp(declaration, 'm').test(PROJECT.text(file));
}

const settersOf = (page: string): string[] =>
  page.match(page.includes('## Threats') ? /^ *- \*\*.*\*\*: .*/gm : /^ *- .*(\n +[^-\s].*)*/gm) ?? [];

describe.each(PAGES)('%s', (path) => {
  const page = PROJECT.text(path);

  it('names constants that exist', () => {
    const named = namedIn(page);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((one) => !declares(one))).toEqual([]);
  });

  it('names a constant for each of its limits', () => {
    const setters = settersOf(page);
    expect(setters.length).toBeGreaterThan(10);
    expect(setters.filter((item) => namedIn(item).length === 0)).toEqual([]);
  });

  it('names sources and tests that exist', () => {
    const files = [...page.matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map(([, file]) => file);
    expect([...new Set(files)].filter((file) => !existsSync(PROJECT.path(file)))).toEqual([]);
  });
});

it('notices a name that is only mentioned, and a file that is gone', () => {
  const file = 'src/compression/http/upload-compression.ts';
  expect(declares({ name: 'MAX_RESULT_GROWTH', file })).toBe(true);
  expect(declares({ name: 'MAX_UPLOAD_MB', file })).toBe(false);
  expect(declares({ name: 'MAX_RESULT_GROWTH', file: 'src/gone.ts' })).toBe(false);
});
