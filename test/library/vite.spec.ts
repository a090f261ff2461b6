/** Real builds with the configuration in docs/library.md. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeIndependently, graphicPng } from '../support/images';
import { node, project, sample } from './installed-project';

const VITE = join('node_modules', 'vite', 'bin', 'vite.js');
const KEPT = join('node_modules', '.vite', 'image-compression');
const drawing = graphicPng(300, 200);
const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
const damaged = sample.subarray(0, 9_000);

let folder: string;
beforeAll(() => {
  folder = project();
  const put = (name: string, content: string | Uint8Array) => writeFileSync(join(folder, name), content);
  put('index.html', '<img src="./src/photo.jpg"><script type="module" src="./src/index.js"></script>');
  put('src/index.js', `import dot from './dot.gif?no-inline'; import './index.css'; console.log(dot);`);
  put('src/index.css', 'body { background: url("./drawing.png?no-inline") }');
  put('src/photo.jpg', sample);
  put('src/drawing.png', drawing);
  put('src/dot.gif', gif);
  put('public/a (1).JPG', sample);
  put('public/damaged.jpg', damaged);
  put('public/notes.txt', 'no image');
});

function build(...args: string[]) {
  const { status, stdout, stderr } = node(folder, VITE, 'build', ...args);
  const output = `${stdout}${stderr}`;
  const built = (name: RegExp) => {
    const found = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' }).find((path) =>
      name.test(path),
    );
    if (found === undefined) throw new Error(output);
    return readFileSync(join(folder, 'dist', found));
  };
  return { status, output, built };
}

it('compresses the images of the bundle and of public, and leaves all other files unchanged', () => {
  const { status, output, built } = build();
  expect(status).toBe(0);
  const photo = built(/photo-.*\.jpg$/);
  expect(photo.length).toBeLessThan(sample.length / 2);
  expect(decodeIndependently(photo).width).toBe(1600);
  expect(built(/drawing-.*\.png$/).length).toBeLessThan(drawing.length);
  expect(built(/a \(1\)\.JPG$/)).toEqual(photo);
  expect(built(/dot-.*\.gif$/)).toEqual(gif);
  expect(built(/notes\.txt$/).toString()).toBe('no image');
  expect(built(/damaged\.jpg$/)).toEqual(damaged);
  expect(output).toMatch(/damaged\.jpg stays as it is: The JPEG cannot be decoded/);
  expect(output).toMatch(
    /3 images, \d+\.\d kB -> \d+\.\d kB \(-\d+\.\d%\), [01] from node_modules.\.vite.image-compression\n/,
  );
  expect(output).toMatch(/^ {2}a \(1\)\.JPG +272\.7 kB -> +\d+\.\d kB \(-\d+\.\d%\)$/m);
});

it('takes the results of an earlier build, and none that other options made', () => {
  const kept = readdirSync(join(folder, KEPT));
  expect(kept).toHaveLength(2);
  for (const name of kept) writeFileSync(join(folder, KEPT, name), 'kept');
  const { output, built } = build();
  expect(output).toMatch(/3 images, .*, 3 from/);
  for (const name of [/photo-/, /drawing-/, /a \(1\)/]) expect(built(name).toString()).toBe('kept');

  const config = readFileSync(join(folder, 'vite.config.mjs'), 'utf8');
  writeFileSync(join(folder, 'other.mjs'), config.replace("'medium'", "'low', cacheDir: 'kept'"));
  const other = build('--config', 'other.mjs');
  expect(other.output).toMatch(/3 images, .*, [01] from kept\n/);
  expect(decodeIndependently(other.built(/photo-/)).width).toBe(1600);

  // A result of an earlier compression stays as it is, and needs no second copy.
  const done = other.built(/photo-/);
  writeFileSync(join(folder, 'public', 'done.jpg'), done);
  for (const from of [3, 4]) {
    const { output: again, built: unchanged } = build('--config', 'other.mjs');
    expect(again).toMatch(new RegExp(`4 images, .*, ${from} from kept\\n`));
    expect(unchanged(/done\.jpg$/)).toEqual(done);
  }
  expect(
    readdirSync(join(folder, 'kept')).map((name) => statSync(join(folder, 'kept', name)).size),
  ).toContain(0);
});

it.each(["quality: 'best'", "format: 'avif'", 'width: 5'])(
  'fails at once with a wrong option: %s',
  (option) => {
    const config = readFileSync(join(folder, 'vite.config.mjs'), 'utf8');
    writeFileSync(join(folder, 'other.mjs'), config.replace("quality: 'medium'", option));
    const { status, output } = build('--config', 'other.mjs');
    expect([status, output]).toEqual([1, expect.stringContaining(`InvalidOptionError`)]);
  },
);
