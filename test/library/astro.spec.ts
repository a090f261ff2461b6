/**
 * The integration for Astro, with the calls that Astro 5 and 7 make and a build by the real Vite. Astro itself would install 158 MB.
 */
import { join } from 'node:path';
import type { Folder } from '../support/folders';
import { decodeIndependently, graphicPng } from '../support/images';
import { project, sample } from './installed-project';

const SHARP = 'astro/assets/services/sharp';
const drawing = graphicPng(300, 200);
const BUILD = `
  import { copyFileSync, readdirSync } from 'node:fs';
  import { pathToFileURL } from 'node:url';
  import { build } from 'vite';
  import { imageCompression } from 'image-compression-service/astro';
  import { imageCompression as forVite } from 'image-compression-service/vite';

  const { options, entrypoint, isPrerendered, outDir } = JSON.parse(process.argv[2]);
  const { hooks } = imageCompression(options);
  const [root, srcDir, publicDir, cacheDir, dir] = ['', 'src/', 'public/', 'cache/', outDir + '/'].map((path) => pathToFileURL(path));
  const added = [];
  hooks['astro:config:setup']({ command: 'dev', updateConfig: () => added.push('nothing in dev') });
  hooks['astro:config:setup']({ command: 'build', updateConfig: ({ vite }) => added.push(...vite.plugins) });
  hooks['astro:config:done']({ config: { root, srcDir, publicDir, cacheDir, image: { service: { entrypoint } } } });
  hooks['astro:routes:resolved']({ routes: [{ isPrerendered: true }, { isPrerendered }] });
  const plugins = [{ name: 'astro:build' }, ...added, forVite({ quality: 'low' })];
  const output = { assetFileNames: '_astro/[name].[hash][extname]' };
  for (const ssr of ['src/index.js', false])
    await build({ configFile: false, plugins, build: { outDir, emptyOutDir: false, ssr, rollupOptions: { output } } });
  const photo = readdirSync(outDir + '/_astro').find((name) => name.startsWith('photo'));
  copyFileSync('photos/sample.jpg', outDir + '/_astro/' + photo.replace('.jpg', '_Z1aB.jpg'));
  await hooks['astro:build:done']({ dir, logger: console });`;

let place: Folder;
beforeEach(() => {
  place = project();
  place.put('build.mjs', BUILD);
  place.put('index.html', '<img src="./src/photo.jpg"><script type="module" src="./src/index.js"></script>');
  place.put('src/index.js', `import './index.css'; import photo from './photo.jpg'; console.log(photo);`);
  place.put('src/index.css', 'body { background: url("./drawing.png?no-inline") }');
  place.put('src/photo.jpg', sample);
  place.put('src/drawing.png', drawing);
  place.put('public/plain.jpg', sample);
  place.put('public/damaged.jpg', sample.subarray(0, 9_000));
});

function build({ quality = 'medium', entrypoint = SHARP, isPrerendered = true, outDir = 'dist' } = {}) {
  const options = JSON.stringify({ options: { quality }, entrypoint, isPrerendered, outDir });
  const { status, stdout, stderr } = place.node('build.mjs', options);
  expect([status, stderr]).toEqual([0, expect.any(String)]);
  const names = place.files(outDir);
  const find = (pattern: RegExp) => names.find((name) => pattern.test(name))!;
  const read = (pattern: RegExp) => place.read(join(outDir, find(pattern)));
  return { output: `${stdout}${stderr}`, find, read };
}
const PHOTO = /photo\.\w+\.jpg$/;
const ENCODE = /photo\.\w+_Z1aB\.jpg$/;
const PLAIN = /plain\.jpg$/;

it('compresses what is delivered, and its names follow the results', () => {
  const medium = build();
  for (const name of [PHOTO, ENCODE, PLAIN]) {
    expect(medium.read(name).length).toBeLessThan(sample.length / 2);
    expect(decodeIndependently(medium.read(name)).width).toBe(1600);
  }
  expect(medium.read(/drawing/).length).toBeLessThan(drawing.length);
  expect(medium.output).toMatch(/damaged\.jpg stays as it is: The JPEG cannot be decoded/);
  expect(medium.output).toMatch(/^4 images, .* from cache.image-compression\n/m);
  expect(medium.output.match(/Astro encodes from .*'image-compression-service\/astro'/g)).toHaveLength(1);

  const again = build({ outDir: 'again' });
  expect(again.output).toMatch(/^4 images, .*, 4 from cache/m);
  expect(again.find(PHOTO)).toBe(medium.find(PHOTO));
  const low = build({ quality: 'low', outDir: 'low' });
  for (const name of [PHOTO, ENCODE, /drawing/, /\.css$/, /\.js$/])
    expect(low.find(name)).not.toBe(medium.find(name));
  for (const page of [/\.html$/, /assets.*\.js$/])
    expect(low.read(page).toString()).toContain(low.find(PHOTO).slice(-18));
  for (const name of ['src/photo.jpg', 'public/plain.jpg']) expect(place.read(name)).toEqual(sample);
});

it.each([
  ['Sharp on demand', { isPrerendered: false }, [PHOTO]],
  ['the service of a host', { entrypoint: '@host/images' }, [PHOTO, PLAIN]],
  ['no service on demand', { entrypoint: 'astro/assets/services/noop', isPrerendered: false }, []],
])('leaves what is encoded from later: %s', (_, options, needed) => {
  const { output, read } = build(options);
  const left = [PHOTO, ENCODE, PLAIN].filter((name) => read(name).equals(sample));
  expect(left).toEqual(needed);
  expect(output.includes('may encode from them later')).toBe(needed.length > 0);
});

it('leaves originals, with a warning', () => {
  const { output, read } = build({ outDir: 'public' });
  expect(output).toMatch(/public.plain\.jpg stays as it is: It is the original itself/);
  expect(read(PLAIN)).toEqual(sample);
});

it('refuses a wrong option at once', () => {
  const { stderr } = place.node('build.mjs', JSON.stringify({ options: { format: 'avif' } }));
  expect(stderr).toContain('format is not an option of the plug-ins for builds.');
});
