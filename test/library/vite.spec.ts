/** Real builds with the configuration in docs/library.md. */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Folder } from '../support/folders';
import { decodeIndependently, graphicPng } from '../support/images';
import { project, sample } from './installed-project';

const VITE = join('node_modules', 'vite', 'bin', 'vite.js');
const KEPT = join('node_modules', '.vite', 'image-compression');
const drawing = graphicPng(300, 200);
const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
const damaged = sample.subarray(0, 9_000);

let place: Folder;
beforeAll(() => {
  place = project();
  place.put('index.html', '<img src="./src/photo.jpg"><script type="module" src="./src/index.js"></script>');
  place.put(
    'src/index.js',
    `import dot from './dot.gif?no-inline'; import raw from './raw.css?raw'; import './index.css'; console.log(dot, raw);`,
  );
  place.put('src/raw.css', `p { background: url(data:image/png;base64,${drawing.toString('base64')}) }`);
  place.put('src/index.css', 'body { background: url("./drawing.png?no-inline") }');
  place.put('src/photo.jpg', sample);
  place.put('src/drawing.png', drawing);
  place.put('src/dot.gif', gif);
  place.put('public/a (1).JPG', sample);
  place.put('public/damaged.jpg', damaged);
  place.put('public/notes.txt', 'no image');
});

function build(...args: string[]) {
  const { status, stdout, stderr } = place.node(VITE, 'build', ...args);
  const output = `${stdout}${stderr}`;
  const built = (name: RegExp) => {
    const found = place.files('dist').find((path) => name.test(path));
    if (found === undefined) throw new Error(output);
    return place.read(`dist/${found}`);
  };
  return { status, output, built };
}

/** With another text in the configuration. */
function buildChanged(documented: string | RegExp, other: string) {
  place.put('changed.mjs', place.text('vite.config.mjs').replace(documented, other));
  return build('--config', 'changed.mjs');
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
  expect(built(/index-.*\.js$/).toString()).toContain(drawing.toString('base64'));
  expect(built(/notes\.txt$/).toString()).toBe('no image');
  expect(built(/damaged\.jpg$/)).toEqual(damaged);
  expect(output).toMatch(/damaged\.jpg stays as it is: The JPEG cannot be decoded/);
  expect(output).toMatch(
    /3 images, \d+\.\d kB -> \d+\.\d kB \(-\d+\.\d%\), [01] from node_modules.\.vite.image-compression\n/,
  );
  expect(output).toMatch(/^ {2}a \(1\)\.JPG +272\.7 kB -> +\d+\.\d kB \(-\d+\.\d%\)$/m);
});

it('takes the results of an earlier build, and none that other options made', () => {
  const kept = place.files(KEPT);
  expect(kept).toHaveLength(2);
  const digest = createHash('sha256').update('kept').digest();
  const keep = (bytes: Uint8Array) => kept.forEach((name) => place.put(join(KEPT, name), bytes));
  keep(Buffer.concat([digest, Buffer.from('kept')]));
  const { output, built } = build();
  expect(output).toMatch(/3 images, .*, 3 from/);
  for (const name of [/photo-/, /drawing-/, /a \(1\)/]) expect(built(name).toString()).toBe('kept');

  // As a disk that was full leaves it.
  keep(Buffer.concat([digest, Buffer.from('kep')]));
  const cut = build();
  expect(cut.output).toMatch(/3 images, .*, [01] from/);
  expect(decodeIndependently(cut.built(/photo-/)).width).toBe(1600);

  const buildOther = () => buildChanged("'medium'", "'low', cacheDir: 'kept'");
  const other = buildOther();
  expect(other.output).toMatch(/3 images, .*, [01] from kept\n/);
  expect(decodeIndependently(other.built(/photo-/)).width).toBe(1600);

  // A result of an earlier compression stays as it is, and needs no second copy.
  const done = other.built(/photo-/);
  place.put('public/done.jpg', done);
  for (const from of [3, 4]) {
    const { output: again, built: unchanged } = buildOther();
    expect(again).toMatch(new RegExp(`4 images, .*, ${from} from kept\\n`));
    expect(unchanged(/done\.jpg$/)).toEqual(done);
  }
  const some = buildChanged("'medium'", "'medium', exclude: /photo-|draw/g");
  expect(some.built(/photo-/)).toEqual(sample);
  expect(some.built(/drawing-/)).toEqual(drawing);
  expect(some.built(/a \(1\)/).length).toBeLessThan(sample.length / 2);
  const sizes = place.files('kept').map((name) => place.read(`kept/${name}`).length);
  expect(sizes).toContain(digest.length);

  const closed = buildChanged("'medium'", "'medium', cacheDir: '/proc/closed'");
  expect([closed.status, closed.output.match(/Results cannot be kept/g)]).toEqual([
    0,
    ['Results cannot be kept'],
  ]);
});

describe('names with a hash follow the results, wherever they stand', () => {
  const page =
    '<link rel="stylesheet" href="/src/own.css"><img srcset="/src/photo.jpg 1x" src="/src/tiny.png"><script type="module" src="/src/own.js"></script>';
  const inlined = graphicPng(40, 30);
  const buildWith = (quality: string | undefined, options: object) => {
    const plugin = quality === undefined ? '' : `imageCompression({ quality: '${quality}' })`;
    const all = JSON.stringify({ manifest: true, ...options });
    const { status, output } = buildChanged(/plugins: .*,/, `build: ${all}, plugins: [${plugin}],`);
    expect([status, output]).toEqual([0, expect.any(String)]);
    const names = place.files('dist');
    const texts = names
      .filter((name) => /\.(html|css|m?js|json)$/.test(name))
      .map((name) => place.text(`dist/${name}`));
    const find = (pattern: RegExp) => [...new Set(texts.flatMap((text) => text.match(pattern) ?? []))];
    return { names, texts, find, photos: find(/photo-[\w-]+\.jpg/g) };
  };
  beforeAll(() => {
    place.put('own.html', page);
    place.put('src/tiny.png', inlined);
    place.put('src/own.css', 'body { background: url("./photo.jpg") } p { background: url("./tiny.png") }');
    place.put(
      'src/own.js',
      'import photo from "./photo.jpg"; import tiny from "./tiny.png"; console.log(photo, tiny);',
    );
    place.put('src/server.js', 'import photo from "./photo.jpg"; export const page = photo;');
  });
  const client = { rollupOptions: { input: 'own.html' } };

  it('in pages, styles, modules, the manifest and builds for a server', () => {
    const builds = [undefined, 'high', 'low'].map((quality) => buildWith(quality, client));
    for (const { photos, names } of builds) {
      expect(photos).toHaveLength(1);
      expect(names).toContain(join('assets', photos[0]));
    }
    for (const pattern of [/photo-.*\.jpg/, /own-.*\.css/, /own-.*\.js/]) {
      const named = builds.map(({ names }) => names.find((name) => pattern.test(name)));
      expect(new Set(named).size).toBe(3);
    }
    expect(buildWith('low', { ssr: 'src/server.js' }).photos).toEqual(builds[2].photos);
    expect(
      buildWith('low', {
        ...client,
        rollupOptions: { ...client.rollupOptions, output: { assetFileNames: '[hash:12]-[name][extname]' } },
      }).names.join(),
    ).toMatch(/\b[\da-f]{12}-photo\.jpg/);
  });

  it('and inlined images are compressed', () => {
    const inHtml = buildWith('high', client).find(/data:image\/png;base64,[\w+/=]+/g);
    expect(inHtml).toHaveLength(1);
    const bytes = Buffer.from(inHtml[0].split(',')[1], 'base64');
    expect(bytes.length).toBeLessThan(inlined.length);
    expect(decodeIndependently(bytes)).toMatchObject({ width: 40, height: 30 });
    const library = buildWith('high', { lib: { entry: 'src/server.js', formats: ['es'], fileName: 'x' } });
    const [, photo] = /data:image\/jpeg;base64,([\w+/=]+)/.exec(library.texts.join())!;
    expect(decodeIndependently(Buffer.from(photo, 'base64')).width).toBe(1600);
    expect(photo.length).toBeLessThan(sample.length / 2);
  });
});

it.each(["quality: 'best'", "format: 'avif'", 'width: 5'])(
  'fails at once with a wrong option: %s',
  (option) => {
    const { status, output } = buildChanged("quality: 'medium'", option);
    expect([status, output]).toEqual([1, expect.stringContaining(`InvalidOptionError`)]);
  },
);

describe('an image that is an original stays, with a warning', () => {
  const isWhole = (name: string) => place.read(name).equals(sample);
  const buildInto = (options: object) => {
    const all = JSON.stringify({ emptyOutDir: false, ...options });
    const { status, output } = buildChanged('plugins:', `build: ${all}, plugins:`);
    expect([status, output]).toEqual([0, expect.stringContaining('image-compression-service')]);
    return output;
  };
  beforeEach(() => {
    for (const name of ['public', 'dist', 'outside'])
      rmSync(place.path(name), { recursive: true, force: true });
    mkdirSync(place.path('dist'));
    for (const name of ['public/a.jpg', 'public/img/b.jpg', 'outside/b.jpg', 'src/photo.jpg'])
      place.put(name, sample);
  });

  it.each([
    ['public', false],
    ['public', true],
    ['linked', false],
  ])('outDir "%s" is publicDir, copyPublicDir: %s', (outDir, copyPublicDir) => {
    if (outDir === 'linked') symlinkSync('public', place.path('linked'));
    const output = buildInto({ outDir, copyPublicDir });
    expect(output).toContain(`${outDir} stays as it is: outDir is publicDir`);
    expect(['public/a.jpg', 'public/img/b.jpg'].filter(isWhole)).toHaveLength(2);
    // Images of the bundle are made by the build.
    const [made] = place.files('public/assets').filter((name) => name.endsWith('.jpg'));
    expect(place.read(`public/assets/${made}`).length).toBeLessThan(sample.length / 2);
  });

  it('links in outDir lead outside of it', () => {
    symlinkSync('../outside', place.path('dist/img'));
    symlinkSync('../outside/b.jpg', place.path('dist/a.jpg'));
    const output = buildInto({});
    expect(output).toMatch(/dist.img.b\.jpg stays as it is: dist.img is a symbolic link/);
    expect(output).toMatch(/dist.a\.jpg stays as it is: This is a symbolic link/);
    expect(isWhole('outside/b.jpg')).toBe(true);
  });

  it('a file of its name that the build did not copy', () => {
    place.put('dist/a.jpg', sample);
    buildInto({ copyPublicDir: false });
    expect(isWhole('dist/a.jpg')).toBe(true);
  });

  it('an image of the bundle has the name of its source', () => {
    const output = { assetFileNames: 'src/[name][extname]' };
    const printed = buildInto({ outDir: '.', copyPublicDir: false, rollupOptions: { output } });
    expect(printed).toMatch(/src.photo\.jpg stays as it is: It is the original itself/);
    expect(isWhole('src/photo.jpg')).toBe(true);
  });
});
