import { chmodSync, copyFileSync, readFileSync, rmSync } from 'node:fs';
import { parse } from 'yaml';
import { Formats } from '../../src/contract/formats';
import { expectEnd } from '../support/ended';
import { PROJECT, ROOT, temporaryFile, temporaryFolder } from '../support/folders';
import { hasPrograms } from '../support/services';
import { graphicPng, photoJpeg } from '../support/images';
import { Repository } from '../support/repository';

const page = PROJECT.text('docs/command-line.md');
let photo: Buffer;
const graphic = graphicPng(64, 64);
beforeAll(async () => (photo = await photoJpeg(160, 120)));

let repository: Repository;
beforeEach(() => {
  repository = new Repository();
  repository.put('photo.jpg', photo);
  repository.put('docs/logo.png', graphic);
  repository.put('untouched.png', graphic);
  repository.put('docs/SCAN.PNG', graphic);
  repository.put('docs/-n.Jpg', photo);
  repository.git('add', 'photo.jpg', 'docs');
});
/** Staged, by the endings that cameras and people write. */
const STAGED = ['photo.jpg', 'docs/logo.png', 'docs/SCAN.PNG', 'docs/-n.Jpg'];
const hook = (command: string) => {
  repository.put('.git/hooks/pre-commit', `#!/bin/sh\n${command}\n`);
  chmodSync(repository.path('.git/hooks/pre-commit'), 0o755);
};
const commit = () => repository.git('commit', '--message', 'Add images');

describe('lint-staged, as the documentation has it', () => {
  it('compresses what is staged, and commits the results', () => {
    const [, config] = /```json\n([^`]*lint-staged[^`]*)```/.exec(page)!;
    repository.put('package.json', config);
    hook(`'${PROJECT.path('node_modules/.bin/lint-staged')}'`);
    const { status, stderr } = commit();
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' });
    for (const name of STAGED) {
      expect(repository.staged(name).length).toBeLessThan(/jpg$/i.test(name) ? photo.length : graphic.length);
      expect(repository.staged(name)).toEqual(repository.read(name));
    }
    expect(repository.read('untouched.png')).toEqual(graphic);
    expect(repository.git('status', '--short', '--untracked-files=no').stdout).toBe('');
  });
});

it('a plain hook, as the examples have it, refuses a commit that could be smaller', () => {
  copyFileSync(PROJECT.path('examples/pre-commit'), repository.path('.git/hooks/pre-commit'));
  repository.install('node_modules/.bin');
  repository.put('-n.jpg', photo);
  repository.git('add', '--', '-n.jpg');
  const { stderr } = commit();
  expect(stderr).toMatch(/could be saved\. Run the same command with --fix/);
  for (const name of [...STAGED, '-n.jpg'])
    expect(stderr).toMatch(new RegExp(`^${name}: could save \\d+ `, 'm'));
  expect(repository.git('log').status).not.toBe(0);
  repository.program('ics', ['check', '--fix', '--', '-n.jpg', 'photo.jpg', 'docs']);
  const unstaged = commit();
  expect(unstaged.status).not.toBe(0);
  expect(unstaged.stderr).toMatch(/Add these images again\.$/m);
  repository.git('add', '--update');
  expect(commit().status).toBe(0);
});

describe('pre-commit', () => {
  interface Hook {
    readonly id: string;
    readonly types_or: readonly string[];
    readonly language: string;
  }
  const hooks = parse(PROJECT.text('.pre-commit-hooks.yaml')) as Hook[];
  it('passes the files that this program reads without a package', () => {
    const { names } = Formats.builtIn.uploads;
    for (const { types_or: types } of hooks) expect(types).toEqual(names);
  });

  const itIfInstalled = hasPrograms('pre-commit') ? it : it.skip;
  it('runs from a clone beside the repository, as the documentation has it', () => {
    const [, yaml] = /```yaml\n(repos:[^`]*)```/.exec(page)!;
    const { repos } = parse(yaml) as { repos: [{ hooks: [{ entry: string }] }] };
    const [program, script, ...words] = repos[0].hooks[0].entry.split(' ');
    const path = script.replace('../image-compression-service', ROOT);
    expectEnd(
      repository.program(program, [path, ...words, 'photo.jpg']),
      1,
      'photo.jpg: could save',
      'stdout',
    );
  });

  /** The hook as it is defined, but started from this checkout. Installing it is up to .ci/hooks. */
  const use = (id: string) => {
    const local = hooks.filter((one) => one.id === id).map((one) => ({ ...one, language: 'system' }));
    repository.put('.pre-commit-config.yaml', JSON.stringify({ repos: [{ repo: 'local', hooks: local }] }));
    repository.git('add', '.pre-commit-config.yaml');
    expect(repository.program('pre-commit', ['install']).status).toBe(0);
  };

  itIfInstalled('ics-check refuses the commit and changes nothing', () => {
    use('ics-check');
    const { status, stdout, stderr } = commit();
    expect(status).toBe(1);
    expect(stdout + stderr).toMatch(
      /check that images are compressed\.+Failed[^]*photo\.jpg: could save \d+ of \d+/,
    );
    for (const name of STAGED) expect(stdout + stderr).toContain(`${name}: `);
    expect(repository.read('photo.jpg')).toEqual(photo);
  });

  it('installs the engine alone, with what builds it', () => {
    const manifests = ['', 'server/', 'test/', 'codec-packages/jxl/'].map(
      (folder) => `${folder}package.json`,
    );
    for (const name of [...manifests, 'package-lock.json', '.npmrc'])
      repository.put(name, PROJECT.read(name));
    const options = ['--dry-run', '--no-save', '--offline', '--include=dev', '--include=prod'];
    const { stdout } = repository.program('npm', ['install', ...options]);
    expect(stdout.match(/^add (sharp|typescript|express|jest|wasm-vips) /gm)?.sort()).toEqual([
      'add sharp ',
      'add typescript ',
    ]);
  });

  it('can install the package: npm pack prints the name of the file and nothing else', () => {
    repository.put(
      'package.json',
      '{"name":"x","version":"1.0.0","scripts":{"prepack":"echo what builds print"}}',
    );
    repository.put('.npmrc', PROJECT.read('.npmrc'));
    expect(repository.program('npm', ['pack'])).toMatchObject({ status: 0, stdout: 'x-1.0.0.tgz\n' });
  });

  itIfInstalled('ics-fix makes them smaller; added again, they pass', () => {
    use('ics-fix');
    expect(commit().status).toBe(1);
    repository.git('add', ...STAGED);
    expect(commit().status).toBe(0);
    expect(repository.staged('photo.jpg').length).toBeLessThan(photo.length);
    expect(repository.read('untouched.png')).toEqual(graphic);
  });
});

describe('the action for GitHub', () => {
  interface Step {
    readonly name?: string;
    readonly run?: string;
    readonly env?: Record<string, string>;
    readonly with?: object;
  }
  interface Action {
    readonly inputs: Record<string, { readonly default: string }>;
    readonly runs: { readonly steps: readonly Step[] };
  }
  const { inputs, runs } = parse(PROJECT.text('action.yml')) as Action;
  const find = (wanted: string) => runs.steps.find(({ name }) => name === wanted)!;
  const step = find('Check images');

  function execute(script: string, more: Record<string, string>) {
    const paths = { GITHUB_ACTION_PATH: ROOT, GITHUB_WORKSPACE: repository.folder };
    const bash = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
    return repository.program('bash', bash, { env: { ...paths, RUNNER_TEMP: temporaryFolder(), ...more } });
  }

  /** The step as a runner executes it: inputs put in for their expressions, and its shell. */
  function run(given: Record<string, string> = {}) {
    const value = (name: string) => given[name] ?? inputs[name].default;
    const env = Object.entries(step.env!).map(([name, text]) => [
      name,
      text.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => value(input)),
    ]);
    return execute(step.run!, Object.fromEntries(env) as Record<string, string>);
  }

  it('keeps its build by the digest of its sources, saved before the check can fail', () => {
    const GITHUB_OUTPUT = temporaryFile('output');
    execute(find('Name the build').run!, { GITHUB_OUTPUT, RUNNER_OS: 'Linux', RUNNER_ARCH: 'X64' });
    const stamp = PROJECT.text('dist/.built-from');
    expect(readFileSync(GITHUB_OUTPUT, 'utf8')).toBe(
      `key=ics-Linux-X64-${process.version}-${stamp}-engine\n`,
    );
    expect(find('Save the build').with).toEqual(find('Restore the build').with);
    expect(runs.steps.indexOf(find('Save the build'))).toBeLessThan(runs.steps.indexOf(step));
  });

  it('uses every input, and no other', () => {
    const used = Object.values(step.env!).flatMap((text) => /inputs\.([\w-]+)/.exec(text)?.[1] ?? []);
    expect(used.sort()).toEqual(Object.keys(inputs).sort());
    expect(step.run).not.toContain('${{');
  });

  it('annotates and fails, or tolerates up to the threshold', () => {
    const { status, stdout, stderr } = run();
    expect(status).toBe(1);
    expect(stdout).toMatch(/^::warning file=docs\/logo\.png,/m);
    expect(stderr).toMatch(/could be saved\. With the input fix: 'true', /);
    expect(run({ threshold: '1MB' }).status).toBe(0);
  });

  it('takes paths and patterns a line each, as they are', () => {
    repository.put('a folder; touch owned/x.png', graphic);
    const { stdout } = run({ paths: 'docs\na folder; touch owned\n', exclude: 'logo.*\n', threshold: '1MB' });
    expect(stdout).toMatch(/::warning file=a folder; touch owned\/x\.png/);
    expect(stdout).toMatch(/^3 images checked/m);
    expect(stdout).not.toContain('logo');
    expect(() => repository.read('owned')).toThrow(/ENOENT/);
  });

  it('fixes when asked to', () => {
    expect(run({ fix: 'true' }).status).toBe(0);
    rmSync(repository.cache, { recursive: true });
    expect(run().stdout).toMatch(/none could be smaller/);
  });
});
