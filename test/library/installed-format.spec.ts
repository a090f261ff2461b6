/** The plug-ins read what the library reads: here a copy of it, beside which a package for WebP uploads is installed as JPEG XL's. */
import { cpSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Library from '../../src/library';
import type * as VitePlugin from '../../src/library/vite';
import { expectEnd } from '../support/ended';
import { Folder, PROJECT } from '../support/folders';
import { graphicPng, photoJpeg, rawImage, texturedPixels, xwbp } from '../support/images';

const place = new Folder();
const built = (name: string) => createRequire(place.path('x.js'))(`./dist/library/${name}.js`) as unknown;
const drawing = graphicPng(120, 90);
let photo: Buffer;
/** Becomes a smaller JPG. */
let wrapped: Buffer;

beforeAll(async () => {
  const copy = (from: string, to: string) => cpSync(PROJECT.path(from), place.path(to), { recursive: true });
  copy('dist', 'dist');
  copy('package.json', 'package.json');
  symlinkSync(PROJECT.path('node_modules'), place.path('node_modules'));
  copy('test/support/xwbp', 'dist/node_modules/image-compression-jxl');
  photo = await photoJpeg(160, 120, { quality: 95 });
  wrapped = xwbp(await rawImage(texturedPixels(160, 120)).webp({ lossless: true }).toBuffer());
});

it('webpack: a name keeps its format, or follows the one that is asked for', async () => {
  const { imageMinimizerMinify } = built('index') as typeof Library;
  const minify = async (filename: string, data: Buffer, options = {}) => {
    const made = await imageMinimizerMinify({ filename, data, info: {} }, options);
    return made && [made.filename, made.data.length < data.length];
  };
  expect(await minify('drawing.jpg', drawing)).toEqual(['drawing.jpg', true]);
  expect(await minify('a.xwbp', wrapped)).toBeNull();
  expect(await minify('a.xwbp', wrapped, { format: 'jpeg' })).toEqual(['a.jpg', true]);
  expect(await minify('photo.jpg', photo, { format: 'webp' })).toEqual(['photo.webp', true]);
  expect(await minify('a.gif', Buffer.from('GIF89a'))).toBeNull();
});

it('Vite: takes every image that the library reads, and none gets another format', async () => {
  const { imageCompression } = built('vite') as typeof VitePlugin;
  const { folder } = place;
  const plugin = imageCompression({ cacheDir: place.path('kept') });
  const lines: string[] = [];
  const logger = { info: (line: string) => lines.push(line) };
  const config = { root: folder, cacheDir: folder, build: { outDir: 'out' }, plugins: [], logger };
  (plugin.configResolved as (config: unknown) => void)(config);
  const files = { 'photo.jpg': photo, 'a.xwbp': wrapped, 'b.gif': Buffer.from('GIF89a') };
  const bundle = Object.fromEntries(
    Object.entries(files).map(([fileName, source]) => [fileName, { type: 'asset', fileName, source }]),
  );
  const { handler } = plugin.generateBundle as unknown as {
    handler: (this: object, output: object, all: typeof bundle) => Promise<void>;
  };
  await handler.call({ warn: (line: string) => lines.push(line) }, {}, bundle);
  (plugin.closeBundle as () => void)();
  expect(bundle['photo.jpg'].source.length).toBeLessThan(photo.length);
  expect(bundle['a.xwbp'].source).toEqual(wrapped);
  expect(lines.join('\n')).toMatch(/2 images, [^]*a\.xwbp/);
});

it('the command line writes no JPEG XL where its package is not installed', () => {
  const args = ['dist/cli/main.js', 'compress', 'photo.jpg', '-o', 'y.jxl'];
  place.put('photo.jpg', photo);
  expectEnd(place.node(...args), 2, 'JXL cannot be written. Use .jpg, .png, ');
});
