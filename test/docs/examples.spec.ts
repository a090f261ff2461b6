/** Runs every `@example` in the comments of src/. Each `console.log(A); // B` must show B. */
import * as fs from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ROOT, temporaryFolder } from '../support/folders';

const SRC = join(ROOT, 'src');
/** Examples of the library use the built package, as a program does. */
const DIST = join(ROOT, 'dist');

interface Example {
  readonly path: string;
  readonly code: string;
}

function examplesIn(path: string): Example[] {
  const text = fs.readFileSync(join(SRC, path), 'utf8');
  const comments = [...text.matchAll(/\/\*\*[\s\S]*?\*\//g)].map(([comment]) =>
    comment.replace(/\*\/$/, '').replace(/^ *\* ?/gm, ''),
  );
  return comments
    .flatMap((comment) => comment.split(/^@/m).filter((tag) => tag.startsWith('example')))
    .map((tag) => ({ path, code: tag.slice('example'.length).trim() }));
}

const examples = fs
  .readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .flatMap(examplesIn);

/** Returns the code with each shown value compared to the one in the comment. */
const compared = (code: string) => code.replace(/console\.log\((.*)\); \/\/ (.+)$/gm, 'show([$1], [$2]);');

const folder = temporaryFolder();
const home = process.cwd();
beforeAll(() => {
  fs.copyFileSync(join(ROOT, 'examples', 'sample.jpg'), join(folder, 'photo.jpg'));
  fs.writeFileSync(join(folder, 'notes.txt'), 'no image');
  process.chdir(folder);
});
afterAll(() => process.chdir(home));

async function run({ path, code }: Example) {
  const isLibrary = path.startsWith('library');
  const names = jest.requireActual<Record<string, unknown>>(
    isLibrary ? join(DIST, path.replace(/ts$/, 'js')) : join(SRC, path),
  );
  let shown = 0;
  const show = (actual: unknown, expected: unknown) => {
    expect(actual).toStrictEqual(expected);
    shown++;
  };
  const { createReadStream, createWriteStream } = fs;
  const scope = { createReadStream, createWriteStream, readFile, writeFile, pipeline, ...names, show };
  const AsyncFunction = run.constructor as new (
    ...parts: string[]
  ) => (...values: unknown[]) => Promise<void>;
  await new AsyncFunction(...Object.keys(scope), compared(code))(...Object.values(scope));
  return shown;
}

it.each(examples.map((example, i) => ({ ...example, i })))(
  'example $i, in src/$path, shows what it says',
  async (example) => {
    const promised = example.code.match(/console\.log/g)?.length ?? 0;
    expect(promised).toBeGreaterThan(0);
    expect(await run(example)).toBe(promised);
  },
);

it('every function of the library has an example', () => {
  const code = examples.filter(({ path }) => path.startsWith('library')).map((example) => example.code);
  for (const name of [
    'compress',
    'compressStream',
    'compressSet',
    'imageMinimizerMinify',
    'imageCompression',
  ]) {
    expect(code.join('\n')).toMatch(new RegExp(`\\b${name}\\(`));
  }
});
