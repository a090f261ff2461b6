/** `ics check` in real git repositories: what it looks at, what it finds, and that --fix leaves nothing to find. */
import { readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { graphicPng, photoJpeg } from '../support/images';
import { Repository } from '../support/repository';
import { Workplace } from '../support/command-line';

let photo: Buffer;
const graphic = graphicPng(64, 64);
beforeAll(async () => (photo = await photoJpeg(320, 240)));

let repository: Repository;
beforeEach(() => {
  repository = new Repository();
  repository.put('photo.jpg', photo);
  repository.put('docs/logo.png', graphic);
  repository.put('README.md', '# Words');
});
const check = (...args: string[]) => repository.run(['check', ...args], { env: repository.environment() });
/** Names of the images that were looked at. */
const looked = (...args: string[]) =>
  check('--json', ...args)
    .stdout.split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { input: string }).input)
    .sort();

it('names what could be smaller and by how much, writes nothing, and exits with 1', () => {
  const { status, stdout, stderr } = check();
  expect(status).toBe(1);
  expect(stdout).toMatch(/^photo\.jpg: could save \d+ of \d+ bytes \(-\d+\.\d%\)/m);
  expect(stdout).toMatch(/^docs\/logo\.png: could save \d+ of \d+ bytes/m);
  expect(stdout).toMatch(/2 images checked: 2 could be smaller, by \d+\.\d kB in total \(-\d+\.\d%\)\.\n$/);
  expect(stderr).toMatch(/^\d+\.\d kB could be saved\. Run ics check --fix\.\n$/);
  expect(readFileSync(repository.path('photo.jpg'))).toEqual(photo);
  expect(repository.git('status', '--short').stdout).not.toMatch(/^ M/m);
});

it('leaves the originals alone that compress --backup keeps', () => {
  repository.put('photo.jpg.orig', photo);
  repository.put('other.orig', graphic);
  expect(looked()).toEqual(['docs/logo.png', 'other.orig', 'photo.jpg']);
  check('--fix');
  expect(readFileSync(repository.path('photo.jpg.orig'))).toEqual(photo);
  expect(looked('photo.jpg.orig')).toEqual(['photo.jpg.orig']);
});

it('--jobs checks as many images at a time', () => {
  expect(check('--jobs', '2').stdout).toMatch(/2 images checked: 2 could be smaller/);
});

it('finds nothing after --fix, also on a machine that remembers nothing', () => {
  expect(check('--fix').stdout).toMatch(/2 images checked: 2 made smaller, by/);
  expect(statSync(repository.path('photo.jpg')).size).toBeLessThan(photo.length);
  const fixed = readFileSync(repository.path('docs/logo.png'));
  rmSync(repository.cache, { recursive: true });
  expect(check()).toMatchObject({ status: 0, stdout: '2 images checked: none could be smaller.\n' });
  expect(check('--fix', '--force').status).toBe(0);
  expect(readFileSync(repository.path('docs/logo.png'))).toEqual(fixed);
});

it('tolerates up to --threshold altogether, and --min-savings for each image', () => {
  expect(check('--threshold', '1MB').status).toBe(0);
  expect(check('--threshold', '10B')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/could be saved, and 10 B is allowed/) as string,
  });
  expect(check('--min-savings', '99')).toMatchObject({
    status: 0,
    stdout: '2 images checked: none could be smaller.\n',
  });
});

it('leaves the size in pixels alone, unless --max-dimension is given', () => {
  check('--fix');
  const env = { ...repository.environment(), MAX_DIMENSION_PX: '100' };
  expect(repository.run(['check'], { env }).status).toBe(0);
  const { status, stdout } = check('--max-dimension', '100');
  expect(status).toBe(1);
  expect(stdout).toMatch(/photo\.jpg: .*scaled from 320x240 to 100x75/);
});

describe('looks at', () => {
  it('what git tracks or would add, and not at what .gitignore names', () => {
    repository.put('.gitignore', 'build/\n*.tmp.png\n!kept.tmp.png\n');
    for (const name of [
      'build/a.jpg',
      'b.tmp.png',
      'kept.tmp.png',
      'sub/.gitignore',
      'sub/c.png',
      'tracked.tmp.png',
    ])
      repository.put(name, graphic);
    repository.put('sub/.gitignore', 'c.png');
    repository.git('add', '--force', 'tracked.tmp.png');
    repository.put('gone.png', graphic);
    repository.git('add', 'gone.png');
    rmSync(repository.path('gone.png'));
    expect(looked()).toEqual(['docs/logo.png', 'kept.tmp.png', 'photo.jpg', 'tracked.tmp.png']);
    expect(looked('docs', 'build/a.jpg')).toEqual(['build/a.jpg', 'docs/logo.png']);
  });

  it('nothing behind a link, whether tracked or not', () => {
    const elsewhere = new Workplace();
    elsewhere.put('theirs.png', graphic);
    repository.put('moved/theirs.png', graphic);
    repository.git('add', '.');
    renameSync(repository.path('moved'), repository.path('away'));
    symlinkSync(elsewhere.folder, repository.path('moved'));
    symlinkSync(elsewhere.path('theirs.png'), repository.path('link.png'));
    repository.git('add', 'link.png');
    expect(looked()).toEqual(['away/theirs.png', 'docs/logo.png', 'photo.jpg']);
    expect(check('--fix', 'link.png', 'moved', '.').status).toBe(0);
    expect(readFileSync(elsewhere.path('theirs.png'))).toEqual(graphic);
  });

  it('nothing that --exclude names', () => {
    repository.put('test/fixtures/x.png', graphic);
    expect(looked('--exclude', 'test/fixtures', '--exclude', '*.jpg')).toEqual(['docs/logo.png']);
    expect(looked('--exclude', '/docs/', 'docs/logo.png', 'photo.jpg')).toEqual(['photo.jpg']);
  });

  it('everything but hidden files and node_modules outside of a repository', () => {
    const folder = new Workplace();
    for (const name of ['a.png', 'node_modules/b.png', '.hidden/c.png', 'd/e.png']) folder.put(name, graphic);
    const { stdout } = folder.run(['check', '--json']);
    const inputs = stdout.match(/"input":"[^"]*"/g);
    expect(inputs?.sort()).toEqual(['"input":"a.png"', '"input":"d/e.png"']);
  });

  it('a folder inside a hook of git, whatever variables that has set', () => {
    const env = {
      ...repository.environment(),
      GIT_DIR: '.git',
      GIT_INDEX_FILE: '.git/index',
      GIT_PREFIX: '',
    };
    const { stdout } = repository.run(['check', 'docs'], { env });
    expect(stdout).toMatch(/1 image checked/);
  });
});

describe('reports files in a folder that are named like an image and are none', () => {
  // Without images, so that no workers start.
  beforeEach(() => {
    for (const name of ['photo.jpg', 'docs/logo.png']) rmSync(repository.path(name));
  });
  const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 5821\n`;

  it.each([
    [
      'words.png',
      'these are words',
      /words\.png: The file is neither a JPG nor a PNG, judging by its first bytes\./,
    ],
    [
      'form.JPG',
      '%PDF-1.7\n',
      /form\.JPG: The file is neither a JPG nor a PNG but a PDF, judging by its first bytes\./,
    ],
    ['pointer.jpeg', POINTER, /pointer\.jpeg: This is a Git LFS pointer.*Run git lfs pull\./],
    ['empty.PNG', '', /empty\.PNG: /],
  ])('%s', (name, content, sentence) => {
    repository.put(`docs/${name}`, content);
    for (const path of ['.', 'docs', `docs/${name}`]) {
      const { status, stderr } = check('--threshold', '1MB', path);
      expect(stderr).toMatch(sentence);
      expect(stderr).toMatch(/^1 could not be checked\.$/m);
      expect(status).toBe(1);
    }
    expect(check('--threshold', '1MB', '--exclude', `*/${name}`).status).toBe(0);
  });

  it('with a stable code in JSON', () => {
    repository.put('pointer.png', POINTER);
    expect(JSON.parse(check('--json', 'pointer.png').stdout)).toMatchObject({
      error: 'lfs_pointer',
      originalSize: POINTER.length,
    });
  });
});

it('runs no program that a repository names for git', () => {
  repository.put('spy', '#!/bin/sh\ntouch spied');
  repository.git('config', 'core.fsmonitor', `chmod +x spy; ./spy`);
  check();
  expect(() => statSync(repository.path('spied'))).toThrow(/ENOENT/);
});

it('--report github annotates files by their names from the top of the checkout', () => {
  repository.put('docs/50%,a:b.png', graphic);
  repository.put('docs/broken.png', graphic.subarray(0, 90));
  const env = { ...repository.environment(), GITHUB_WORKSPACE: repository.folder };
  const { status, stdout } = repository.run(['check', '--report', 'github'], {
    env,
    cwd: repository.path('docs'),
  });
  expect(status).toBe(1);
  const lines = stdout.trim().split('\n').sort();
  expect(lines[1]).toMatch(
    /^::error file=docs\/broken\.png,title=Image cannot be checked::broken\.png: The PNG /,
  );
  expect(lines[2]).toMatch(
    /^::warning file=docs\/50%25%2Ca%3Ab\.png,title=Image could be smaller::50%25,a:b\.png: could save \d+ of \d+ bytes \(-\d+\.\d%25\)/,
  );
  expect(lines[3]).toMatch(/^::warning file=docs\/logo\.png,/);
});

it.each([
  [['missing.png'], 1, /missing\.png: There is no such file/],
  [['--threshold', 'much'], 2, /size such as 200000, 200kB/],
  [['--report', 'xml'], 2, /Allowed choices are text, json, github/],
  [['--json', '--format', 'github'], 2, /Choose one/],
  [['--fix', '--format', 'webp'], 2, /cannot change their format/],
  [['--quality', 'best'], 2, /--quality best: must be one of/],
  [['.git'], 1, /is a git directory, or looks like one/],
])('%j ends with %i', (args, status, message) => {
  const result = check(...args);
  expect(result.stderr).toMatch(message);
  expect(result.status).toBe(status);
});
