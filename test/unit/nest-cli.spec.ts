/** The Nest CLI builds and watches a small program with the repository's configuration; dist/ stays as it is. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/folders';
import { eventually } from '../support/eventually';

const folder = temporaryFolder();
const nest = join(process.cwd(), 'node_modules', '.bin', 'nest');
const builtMain = join(folder, 'dist', 'main.js');
const write = (word: string) =>
  writeFileSync(join(folder, 'src', 'main.ts'), `console.log('${word}', process.pid);`);

beforeAll(() => {
  for (const file of ['nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'])
    cpSync(file, join(folder, file));
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'src'));
});
beforeEach(() => rmSync(join(folder, 'dist'), { recursive: true, force: true }));

it('nest build compiles', () => {
  write('built');
  const { status, stdout } = spawnSync(nest, ['build'], { cwd: folder, encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
  expect(spawnSync(process.execPath, [builtMain], { encoding: 'utf8' }).stdout).toMatch(/^built \d+\n$/);
});

it('nest start --watch compiles, starts, and starts again after a change', async () => {
  write('first');
  const child = spawn(nest, ['start', '--watch'], { cwd: folder, detached: true });
  let output = '';
  child.stdout.on('data', (bytes) => (output += String(bytes)));
  try {
    await eventually(() => expect(output).toMatch(/^first \d+$/m));
    write('second');
    await eventually(() => expect(output).toMatch(/^second \d+$/m));
    expect(existsSync(builtMain)).toBe(true);
  } finally {
    process.kill(-child.pid!, 'SIGKILL');
  }
});
