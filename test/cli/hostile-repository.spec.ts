import { existsSync, rmSync } from 'node:fs';
import { Workplace } from '../support/command-line';
import { layOutGitDirectory } from '../support/git-directories';
import { graphicPng } from '../support/images';
import { Repository } from '../support/repository';
import { runnerCommands } from '../support/runner-commands';

const graphic = graphicPng(64, 64);

/** Remotes that git would ask for a missing object, each of which runs a command. */
const remotes = (command: string): Record<string, string> => ({
  'ext::': `url = "ext::${command} %S"\n[protocol "ext"]\n allow = always`,
  'a program for ssh': `url = ssh://example.invalid/x\n[core]\n sshCommand = "${command};"`,
  'a program for local uploads': `url = file:///x\n uploadpack = "${command};"\n[protocol]\n allow = always`,
});
const KINDS = Object.keys(remotes(''));

const promisor = (remote: string) =>
  `[extensions]\n partialClone = origin\n[remote "origin"]\n promisor = true\n ${remote}\n`;

describe('git runs no command of a stranger', () => {
  let repository: Repository;
  let command: string;
  beforeEach(() => {
    repository = new Repository();
    repository.put('docs/a.png', graphic);
    repository.put('docs/not-in-the-index', 'git asks the .gitignore about this one');
    command = `touch ${repository.path('owned')}`;
  });
  const check = (args = '', env: NodeJS.ProcessEnv = {}) =>
    repository.call(`check --json ${args}`.trim(), env);
  const attack = (kind: string, gitFolder: string) =>
    layOutGitDirectory(repository.path(gitFolder), repository.path('docs'), {
      tracked: ['a.png'],
      config: promisor(remotes(command)[kind]),
    });
  const runsIn = (folder: string) => {
    repository.program('git', [
      '-C',
      folder,
      '-c',
      'safe.bareRepository=all',
      'ls-files',
      '--others',
      '--exclude-standard',
    ]);
    const isRun = existsSync(repository.path('owned'));
    rmSync(repository.path('owned'), { force: true });
    return isRun;
  };

  it.each(KINDS)('of a sub-folder that is laid out like a git directory: %s', async (kind) => {
    attack(kind, 'docs');
    repository.git('add', '--force', 'docs');
    // Unless git by itself runs the command, this would test nothing.
    expect(runsIn('docs')).toBe(true);
    const { status, stderr } = await check('docs');
    expect(existsSync(repository.path('owned'))).toBe(false);
    expect(status).toBe(1);
    expect(stderr).toMatch(/docs is a git directory, or looks like one\. Check the folder above it/);
    expect((await check()).stdout).toContain('"input":"docs/a.png"');
    expect((await check('docs/a.png')).stdout).toContain('"input":"docs/a.png"');
    expect(existsSync(repository.path('owned'))).toBe(false);
  });

  it.each(KINDS)('of an unpacked archive with a .git of its own: %s', async (kind) => {
    attack(kind, 'docs/.git');
    expect(runsIn('docs')).toBe(true);
    const { stdout } = await check('docs');
    expect(existsSync(repository.path('owned'))).toBe(false);
    expect(stdout).toContain('"input":"docs/a.png"');
  });

  it.each(KINDS)('of an unpacked archive, with a git that fetches lazily in any case: %s', async (kind) => {
    attack(kind, 'docs/.git');
    // Git before 2.39.4 does not know this variable.
    repository.put('old/git', '#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nPATH=${PATH#*:} exec git "$@"\n');
    repository.program('chmod', ['+x', 'old/git']);
    const PATH = `${repository.path('old')}:${repository.environment()['PATH']}`;
    const { stdout, stderr } = await check('docs', { PATH });
    expect(existsSync(repository.path('owned'))).toBe(false);
    // Such a git tries the fetch. That is refused, and whether git then lists or gives up is a race inside git.
    expect(stdout || stderr).toMatch(/"input":"docs\/a\.png"|git cannot list .*transport '\w+' not allowed/);
  });

  it('that is called git and lies in the current folder', async () => {
    repository.put('git', `#!/bin/sh\n${command}\n`);
    repository.program('chmod', ['+x', 'git']);
    await check('', { PATH: `.:${repository.environment()['PATH']}` });
    expect(existsSync(repository.path('owned'))).toBe(false);
  });
});

it('looks at no file outside of the folder, whatever the index lists, and --fix rewrites none', async () => {
  const place = new Workplace(Workplace.emptyFolderForCalls());
  for (const name of ['outside.png', 'docs/a.png', 'docs/.git/hidden.png']) place.put(name, graphic);
  const tracked = ['../outside.png', '.git/hidden.png', 'a.png'];
  layOutGitDirectory(place.path('docs/.git'), place.path('docs'), { tracked, config: '' });
  const { stdout } = await place.call('check --json --fix docs');
  expect(stdout.match(/"input":"[^"]*"/g)).toEqual(['"input":"docs/a.png"']);
  expect(place.read('outside.png')).toEqual(graphic);
  expect(place.read('docs/.git/hidden.png')).toEqual(graphic);
});

describe('names of files do not become commands of a runner', () => {
  const NAMES = [
    '::error::x.png',
    ' ::stop-commands::x.png',
    '\u00a0::add-mask::.png',
    'x\n::add-path::y.png',
    'x\r::error title=a,file=b::y.png',
    '##[add-path]y.png',
    'a###[stop-commands]y.png',
    '##vso[task.setvariable variable=PATH]y.png',
    "##teamcity[buildStatus text='x']y.png",
    'x%0A::error::y.png',
    '\u001b[2J\u0007\u009b31m\u202ey.png',
  ];
  const place = Workplace.forCalls();
  beforeEach(() => {
    for (const name of NAMES) place.put(name, graphic);
    // Two more sentences: not decodable, and left alone because of its size.
    place.put('::error::broken.png', graphic.subarray(0, 90));
    place.put('::error::large.png', graphicPng(20_000, 4));
  });
  const output = async (args: string) => {
    const { stdout, stderr } = await place.call(args, { GITHUB_WORKSPACE: place.folder });
    expect(stdout + stderr).toContain('broken.png');
    return stdout + stderr;
  };

  it('in annotations for GitHub, which name the file that they are about', async () => {
    const commands = runnerCommands(await output('check --report github'));
    // What another runner or a terminal would obey is written out, so that no file has this name.
    const written = (name: string) =>
      name
        .replace(/##(?=\w*\[)/, '\\x23#')
        .replace('\u001b[2J\u0007\u009b31m\u202e', '\\x1b[2J\\x07\\x9b31m\\u202e');
    expect(commands.map(({ properties }) => properties['file']).sort()).toEqual(
      [...NAMES, '::error::broken.png'].map(written).sort(),
    );
    const kinds = commands.map(({ name, properties }) => [
      name,
      ...Object.keys(properties),
      properties['title'],
    ]);
    expect(new Set(kinds.map(String))).toEqual(
      new Set(['error,file,title,Image cannot be checked', 'warning,file,title,Image could be smaller']),
    );
  });

  it.each([
    'check --report github',
    'check',
    'check --json',
    'check --report sarif',
    'compress . -o out',
    'compress . --in-place --backup .orig',
    'compress ::error::missing.png ::error::broken.png -n',
  ])('in the output of ics %s', async (args) => {
    if (args.includes('--backup')) for (const name of NAMES) place.put(`${name}.orig`, 'another file');
    const text = await output(args);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]|##\w*\[/u);
    if (!args.includes('github')) expect(runnerCommands(text)).toEqual([]);
    if (args !== 'check --json') return;
    const lines = text.trim().split('\n').slice(0, -1);
    const inputs = lines.map((line) => (JSON.parse(line) as { input: string }).input);
    expect(inputs).toEqual(expect.arrayContaining(NAMES));
  });
});
