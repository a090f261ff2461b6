/** The Nest CLI builds and watches with the configuration of the repository, in a copy, so that dist/ stays as it is. */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually';

const folder = mkdtempSync(join(tmpdir(), 'ics-nest-'));
const nest = join(process.cwd(), 'node_modules', '.bin', 'nest');
const builtMain = join(folder, 'dist', 'main.js');

beforeAll(() => {
  const parts = ['src', 'server', 'package.json', 'nest-cli.json', 'tsconfig.json', 'tsconfig.build.json'];
  for (const part of parts) cpSync(part, join(folder, part), { recursive: true });
  // npm run check:types checks the types; here it would take most of the time.
  const tsconfig = JSON.parse(readFileSync('tsconfig.json', 'utf8')) as { compilerOptions: object };
  const compilerOptions = { ...tsconfig.compilerOptions, noCheck: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ ...tsconfig, compilerOptions }));
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'));
});
beforeEach(() => rmSync(join(folder, 'dist'), { recursive: true, force: true }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('nest build compiles the service', () => {
  const { status, stdout } = spawnSync(nest, ['build'], { cwd: folder, encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
  expect(existsSync(builtMain)).toBe(true);
  expect(existsSync(join(folder, 'dist', 'openapi', 'reference', 'reference.js'))).toBe(true);
});

it('nest start --watch compiles, starts, and starts again after a change', async () => {
  // A small program: that the whole service compiles is tested above.
  rmSync(join(folder, 'src'), { recursive: true });
  mkdirSync(join(folder, 'src'));
  const write = (word: string) =>
    writeFileSync(join(folder, 'src', 'main.ts'), `console.log('${word}', process.pid);`);
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
