/** Everything that the documentation refers to exists: files, headings, scripts, commands and their options. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { CLI } from '../support/command-line';
import { PROJECT, ROOT } from '../support/folders';

const pages = ['', 'docs', 'docs/internals'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(ROOT, folder, name)),
);

/** Returns the anchors that GitHub and GitLab give to headings. */
function anchorsOf(page: string) {
  const prose = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
  const anchors = new Set<string>();
  for (const [, heading] of prose.matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replace(/ /g, '-');
    let anchor = slug;
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Returns links and images that do not point to another host. */
function linksOf(page: string) {
  const prose = readFileSync(page, 'utf8')
    .replace(/^```[\s\S]*?^```$/gm, '')
    .replace(/`[^`\n]*`/g, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g), ...prose.matchAll(/(?:src|href|srcset)="([^"]+)"/g)];
  return links.map(([, link]) => link).filter((link) => !/^[a-z]+:/i.test(link));
}

function brokenLinks(page: string) {
  return linksOf(page).filter((link) => {
    const [path, anchor] = link.split('#');
    const target = path ? resolve(dirname(page), path) : page;
    if (!existsSync(target)) return true;
    return link.includes('#') && (statSync(target).isDirectory() || !anchorsOf(target).has(anchor));
  });
}

it.each(pages.map((page) => relative(ROOT, page)))('all links of %s lead somewhere', (page) => {
  expect(brokenLinks(join(ROOT, page))).toEqual([]);
});

it('the README is short, and its picture has the sizes that the service makes', () => {
  const readme = PROJECT.text('README.md');
  expect(readme.split('\n').length).toBeLessThanOrEqual(120);
  const { stdout } = PROJECT.node(CLI, 'compress', '--dry-run', '--json', 'examples/still-life.jpg');
  const sizes = JSON.parse(stdout) as { originalSize: number; compressedSize: number };
  const [, before, after] = /photo of ([\d.]+) MB.* result of ([\d.]+) MB/.exec(readme) ?? [];
  expect([before, after]).toEqual(
    [sizes.originalSize, sizes.compressedSize].map((bytes) => (bytes / 1e6).toFixed(2)),
  );
});

it('the README links to every page of the docs, or to its folder', () => {
  const reached = new Set<string>();
  const walk = (page: string) => {
    if (reached.has(page)) return;
    reached.add(page);
    for (const link of linksOf(page)) {
      const target = resolve(dirname(page), link.split('#')[0]);
      if (existsSync(target) && statSync(target).isDirectory()) {
        pages.filter((other) => dirname(other) === target).forEach(walk);
      } else if (target.endsWith('.md')) walk(target);
    }
  };
  walk(join(ROOT, 'README.md'));
  expect(pages.filter((page) => !reached.has(page)).map((page) => relative(ROOT, page))).toEqual([]);
});

const text = pages.map((page) => readFileSync(page, 'utf8')).join('\n');
const { scripts } = PROJECT.json('package.json') as { scripts: object };

it('every npm script that is named exists', () => {
  const named = [...text.matchAll(/\bnpm run (?:-s )?([\w:]+)/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(10);
  expect([...new Set(named)].filter((name) => !(name in scripts))).toEqual([]);
});

it('every file that is run or tested by name exists', () => {
  const own = text.replaceAll('../image-compression-service/', '');
  const named = [...own.matchAll(/(?:\bbash |npm test -- |\bnode (?:--[\w=-]+ )*)([\w.][\w./-]*)/g)].map(
    ([, name]) => name,
  );
  expect(named).toContain('.ci/run');
  expect(named.filter((name) => !existsSync(PROJECT.path(name)))).toEqual([]);
});

it('every source that is named exists', () => {
  const sources = ['src', 'test', 'scripts', 'assembly', 'examples'].flatMap((folder) =>
    PROJECT.files(folder).map((path) => `/${folder}/${path.replaceAll('\\', '/')}`),
  );
  const named = [...text.matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(100);
  const known = (name: string) => sources.some((path) => path.endsWith(`/${name}`));
  expect([...new Set(named)].filter((name) => !name.startsWith('./') && !known(name))).toEqual([]);
});

const commands = [...text.matchAll(/(?:npm run -s cli --|^ *ics) ([a-z][^#\n`]*)/gm)].map(([, line]) =>
  line.trim().split(/\s+/),
);

it('no command has a placeholder in its place, and none fetches a package of the same name', () => {
  const blocks = [...text.matchAll(/^```[\s\S]*?^```$/gm)].flatMap(([block]) => block.split('\n'));
  expect(blocks.length).toBeGreaterThan(100);
  const isWrong = (line: string) => /\b(ADDRESS|OWNER|REPOSITORY)\b|rev: v\d|git\.example/.test(line);
  expect(blocks.filter(isWrong)).toEqual([]);
  // The registry has another ics.
  expect(pages.filter((page) => /\bnpx ics\b/.test(readFileSync(page, 'utf8')))).toEqual([]);
});

it('the archive of npm pack is no file of the repository', () => {
  const archive = 'image-compression-service-0.1.0.tgz';
  const { status } = PROJECT.program('git', ['check-ignore', '-q', archive]);
  expect(status).toBe(0);
});

it('every command of the command line exists, with its options', () => {
  expect(commands.length).toBeGreaterThan(5);
  const groups = new Set(['account', 'codec', 'key']);
  const helps = new Map<string, { status: number | null; stdout: string }>();
  const help = (path: readonly string[]) => PROJECT.node(CLI, ...path, '--help');
  const faults = commands.flatMap(([name, ...rest]) => {
    const path = groups.has(name) ? [name, rest[0]] : [name];
    const { status, stdout } = helps.get(path.join(' ')) ?? help(path);
    helps.set(path.join(' '), { status, stdout });
    const isFound = status === 0 && stdout.startsWith(`Usage: ics ${path.join(' ')} `);
    const options = rest.filter((word) => /^--?[a-z]/.test(word));
    const unknown = options.filter((option) => !new RegExp(`(^|[\\s,])${option}[\\s,]`, 'm').test(stdout));
    return isFound && unknown.length === 0 ? [] : [[...path, ...unknown].join(' ')];
  });
  expect(faults).toEqual([]);
});

it('every setting that is named in capitals in the README is one', () => {
  const reference = PROJECT.text('docs/configuration.md');
  const table = /## Settings\n([\s\S]*?)\n## /.exec(PROJECT.text('README.md'))?.[1] ?? '';
  const named = [...table.matchAll(/`([A-Z][A-Z_]{3,})`/g)].map(([, name]) => name);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !reference.includes(`- \`${name}\``))).toEqual([]);
});
