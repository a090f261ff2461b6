import '@microsoft/jest-sarif';
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { expectEnd, expectSuccess } from '../support/ended';
import { graphicPng, photoJpeg } from '../support/images';
import { Repository } from '../support/repository';
import { jsonLines, Workplace } from '../support/command-line';
import { onLinux } from '../support/on-linux';

let photo: Buffer;
const graphic = graphicPng(64, 64);
beforeAll(async () => (photo = await photoJpeg(160, 120)));

let repository: Repository;
beforeEach(() => {
  repository = new Repository();
  repository.put('photo.jpg', photo);
  repository.put('docs/logo.png', graphic);
  repository.put('README.md', '# Words');
});
const check = (args = '', env: NodeJS.ProcessEnv = {}) => repository.call(`check ${args}`.trim(), env);
const looked = async (args = '') => {
  const { stdout } = await check(`--json ${args}`.trim());
  return jsonLines(stdout)
    .map(({ input }) => input)
    .sort();
};

it('names what could be smaller and by how much, writes nothing, and exits with 1', async () => {
  const { status, stdout, stderr } = await check('--jobs 2');
  expect(status).toBe(1);
  expect(stdout).toMatch(/^photo\.jpg: could save \d+ of \d+ bytes \(-\d+\.\d%\)/m);
  expect(stdout).toMatch(/^docs\/logo\.png: could save \d+ of \d+ bytes/m);
  expect(stdout).toMatch(/2 images checked: 2 could be smaller, by \d+\.\d kB in total \(-\d+\.\d%\)\.\n$/);
  expect(stderr).toMatch(/^\d+\.\d kB could be saved\. Run the same command with --fix\.\n$/);
  expect(repository.read('photo.jpg')).toEqual(photo);
  expect(repository.git('status', '--short').stdout).not.toMatch(/^ M/m);
});

// Elsewhere, file systems refuse such names.
onLinux.each([
  ['in a repository', true],
  ['elsewhere', false],
])('fails at names that are not UTF-8: %s', async (_, isRepository) => {
  if (!isRepository) rmSync(repository.path('.git'), { recursive: true });
  const put = (name: string) =>
    writeFileSync(
      Buffer.concat([Buffer.from(`${repository.path('')}/`), Buffer.from(name, 'latin1')]),
      photo,
    );
  mkdirSync(Buffer.concat([Buffer.from(`${repository.path('')}/`), Buffer.from('\xe9t\xe9', 'latin1')]));
  for (const name of ['caf\xe9.jpg', 'caf\xe9.txt', '\xe9t\xe9/photo.jpg']) put(name);
  const within = isRepository ? '/photo\\.jpg' : '';
  for (const command of ['check', 'check --fix', 'compress . -o out']) {
    const { stderr } = expectEnd(
      await repository.call(command),
      1,
      /^caf\uFFFD\.jpg: The name is not valid UTF-8, .* Rename it\.$/m,
    );
    const folder = command.startsWith('check') ? within : '';
    expect(stderr).toMatch(new RegExp(`^\uFFFDt\uFFFD${folder}: The name is not valid UTF-8`, 'm'));
    expect(stderr).not.toContain('.txt');
  }
  // Node.js cannot remove them either.
  spawnSync('find', [repository.path(''), '-mindepth', '1', '-delete']);
});

it('leaves the originals alone that compress --backup keeps', async () => {
  repository.put('photo.jpg.orig', photo);
  repository.put('other.orig', graphic);
  expect(await looked()).toEqual(['docs/logo.png', 'other.orig', 'photo.jpg']);
  await check('--fix');
  expect(repository.read('photo.jpg.orig')).toEqual(photo);
  expect(await looked('photo.jpg.orig')).toEqual(['photo.jpg.orig']);
});

it('finds nothing after --fix, also on a machine that remembers nothing', async () => {
  expect((await check('--fix')).stdout).toMatch(/2 images checked: 2 made smaller, by/);
  expect(statSync(repository.path('photo.jpg')).size).toBeLessThan(photo.length);
  const fixed = repository.read('docs/logo.png');
  rmSync(repository.cache, { recursive: true });
  expect(await check()).toMatchObject({ status: 0, stdout: '2 images checked: none could be smaller.\n' });
  expectSuccess(await check('--fix --force'));
  expect(repository.read('docs/logo.png')).toEqual(fixed);
});

it('tolerates up to --threshold altogether, and --min-savings for each image', async () => {
  expectSuccess(await check('--threshold 1MB'));
  expectEnd(await check('--threshold 10B'), 1, /could be saved, and 10 B is allowed/);
  const none = { status: 0, stdout: '2 images checked: none could be smaller.\n' };
  expect(await check('--min-savings 99')).toMatchObject(none);
});

it('leaves the size in pixels alone, unless --max-dimension is given', async () => {
  await check('--fix');
  expectSuccess(await check('', { MAX_DIMENSION_PX: '100' }));
  expectEnd(await check('--max-dimension 100'), 1, /photo\.jpg: .*scaled from 160x120 to 100x75/, 'stdout');
});

describe('looks at', () => {
  it('what git tracks or would add, and not at what .gitignore or --exclude names', async () => {
    repository.put('.gitignore', 'build/\n*.tmp.png\n!kept.tmp.png\n');
    const names = ['build/a.jpg', 'b.tmp.png', 'kept.tmp.png', 'sub/c.png', 'tracked.tmp.png', 'gone.png'];
    for (const name of names) repository.put(name, graphic);
    repository.put('sub/.gitignore', 'c.png');
    repository.git('add', '--force', 'tracked.tmp.png', 'gone.png');
    rmSync(repository.path('gone.png'));
    expect(await looked()).toEqual(['docs/logo.png', 'kept.tmp.png', 'photo.jpg', 'tracked.tmp.png']);
    expect(await looked('docs build/a.jpg')).toEqual(['build/a.jpg', 'docs/logo.png']);
    expect(await looked('--exclude docs --exclude *.tmp.png')).toEqual(['photo.jpg']);
    expect(await looked('--exclude /docs/ docs/logo.png photo.jpg')).toEqual(['photo.jpg']);
    const none = expectSuccess(await check('build'));
    expect(none).toBe('No image was found; what .gitignore or --exclude names is left out.\n');
  });

  it('nothing behind a link, whether tracked or not', async () => {
    const elsewhere = new Workplace();
    elsewhere.put('theirs.png', graphic);
    repository.put('moved/theirs.png', graphic);
    repository.git('add', '.');
    renameSync(repository.path('moved'), repository.path('away'));
    symlinkSync(elsewhere.folder, repository.path('moved'));
    symlinkSync(elsewhere.path('theirs.png'), repository.path('link.png'));
    repository.git('add', 'link.png');
    expect(await looked()).toEqual(['away/theirs.png', 'docs/logo.png', 'photo.jpg']);
    expectSuccess(await check('--fix link.png moved .'));
    expect(elsewhere.read('theirs.png')).toEqual(graphic);
  });

  it('nothing in a repository if git is missing: .gitignore could not be read', async () => {
    repository.put('.gitignore', '*.jpg');
    expectEnd(
      await check('--fix', { PATH: '/nowhere' }),
      1,
      'git is not installed, so .gitignore cannot be read.',
    );
    expect(repository.read('photo.jpg')).toEqual(photo);
  });

  it('everything but hidden files and node_modules outside of a repository', async () => {
    rmSync(repository.path('.git'), { recursive: true });
    for (const name of ['node_modules/b.png', '.hidden/c.png']) repository.put(name, graphic);
    expect(await looked()).toEqual(['docs/logo.png', 'photo.jpg']);
  });

  it('a folder inside a hook of git, whatever variables that has set', async () => {
    const hook = { GIT_DIR: '.git', GIT_INDEX_FILE: '.git/index', GIT_PREFIX: '' };
    expect((await check('docs', hook)).stdout).toMatch(/1 image checked/);
  });
});

it.each([
  ['words.png', 'these are words', /words\.png: The file is not a JPG, .* or AVIF, judging by its/],
  ['form.JPG', '%PDF-1.7\n', /form\.JPG: The file is a PDF, not a JPG, .* or AVIF, judging by its/],
  ['pointer.jpeg', 'version https://git-lfs.github.com/spec/v1', /pointer\.jpeg: This is a Git LFS pointer/],
  ['empty.PNG', '', /empty\.PNG: /],
])('reports a file that is named like an image and is none: %s', async (name, content, sentence) => {
  repository.put(`docs/${name}`, content);
  for (const path of ['docs', `docs/${name}`]) {
    const { stderr } = expectEnd(await check(`--threshold 1MB ${path}`), 1, sentence);
    expect(stderr).toMatch(/^1 could not be checked\.$/m);
  }
  expectSuccess(await check(`--threshold 1MB --exclude */${name}`));
});

it('runs no program that a repository names for git', async () => {
  repository.put('spy', '#!/bin/sh\ntouch spied');
  repository.git('config', 'core.fsmonitor', `chmod +x spy; ./spy`);
  await check();
  expect(() => statSync(repository.path('spied'))).toThrow(/ENOENT/);
});

it('--report github annotates files by their names from the top of the checkout', async () => {
  repository.put('docs/50%,a:b.png', graphic);
  repository.put('docs/broken.png', graphic.subarray(0, 90));
  const env = { GITHUB_WORKSPACE: repository.path('docs') };
  const { status, stdout } = await check('docs --report github', env);
  expect(status).toBe(1);
  const lines = stdout.trim().split('\n').sort();
  expect(lines[1]).toMatch(
    /^::error file=broken\.png,title=Image cannot be checked::docs\/broken\.png: The PNG /,
  );
  expect(lines[2]).toMatch(
    /^::warning file=50%25%2Ca%3Ab\.png,title=Image could be smaller::docs\/50%25,a:b\.png: could save \d+ of \d+ bytes \(-\d+\.\d%25\)/,
  );
  expect(lines[3]).toMatch(/^::warning file=logo\.png,/);
});

interface SarifLog {
  readonly runs: [
    { results: { locations: [{ physicalLocation: { artifactLocation: { uri: string } } }] }[] },
  ];
}
it.each([
  ['', 'error'],
  [' --threshold 1MB', 'note'],
])('--report sarif%s has a result for each file, as %s if it could be smaller', async (option, level) => {
  repository.put('docs/50% [é].png', graphic);
  repository.put('docs/broken.png', graphic.subarray(0, 90));
  const { status, stdout } = await check(`docs --report sarif${option}`);
  expect(status).toBe(1);
  const log = JSON.parse(stdout) as SarifLog;
  expect(log).toBeValidSarifLog();
  const [{ results, ...run }] = log.runs;
  const located = results.map((result) => [
    result.locations[0].physicalLocation.artifactLocation.uri,
    result,
  ]);
  const smaller = { ruleId: 'image-could-be-smaller', level };
  const message = { text: expect.stringMatching(/^could save \d+ of \d+ bytes \(-\d/) as string };
  // What GitHub requires, besides what the schema does.
  const region = { startLine: 1, startColumn: 1, endLine: 1, endColumn: 1 };
  const locations = [{ physicalLocation: { artifactLocation: { uriBaseId: '%SRCROOT%' }, region } }];
  expect(Object.fromEntries(located)).toMatchObject({
    'docs/50%25%20%5B%C3%A9%5D.png': { ...smaller, message, locations },
    'docs/logo.png': smaller,
    'docs/broken.png': { ruleId: 'image-cannot-be-checked', level: 'error' },
  });
  const text = { text: expect.stringMatching(/\.$/) as string };
  const rules = ['image-could-be-smaller', 'image-cannot-be-checked'].map((id) => ({
    id,
    fullDescription: text,
    help: text,
  }));
  expect(run).toMatchObject({ tool: { driver: { rules } } });
});

it('--json ends with totals', async () => {
  repository.put('docs/broken.png', graphic.subarray(0, 90));
  repository.put('docs/large.png', graphicPng(20_000, 4));
  const lines = (await check('--report json')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number>);
  const bytesSaved = lines.reduce((sum, line) => sum + (line['bytesSaved'] ?? 0), 0);
  expect(lines.at(-1)).toEqual({
    totals: { images: 3, smaller: 2, originalSize: photo.length + graphic.length, bytesSaved, failed: 1 },
  });
});

it.each([
  ['--threshold much', 2, /bytes, such as 200000, 200kB/],
  ['--report xml', 2, /Allowed choices are text, json, github/],
  ['--json --format github', 2, /Choose one/],
  ['--fix --format webp', 2, /cannot change their format/],
  ['.git', 1, /is a git directory, or looks like one/],
])('%s ends with %i', async (args, status, message) => {
  expectEnd(await check(args), status, message);
});
