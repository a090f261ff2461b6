import { cpSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expectSuccess } from '../support/ended';
import { PROJECT, ROOT } from '../support/folders';
import { decodeIndependently, graphicPng } from '../support/images';
import { examples, page, project, sample } from './installed-project';

it('has the examples that are tested here', () => {
  expect(examples.map(({ name }) => name)).toEqual(['folder.mjs', 'vite.config.mjs', 'webpack.config.mjs']);
});

it('compresses a folder, from an ES module', () => {
  const place = project();
  const stdout = expectSuccess(place.node('folder.mjs'));
  expect(stdout).toMatch(/^drawing\.png: \d+ → \d+ bytes\nsample\.jpg: 272709 → \d+ bytes\n$/);
  const result = place.read('web/sample.jpg');
  expect(result.length).toBeLessThan(sample.length);
  expect(decodeIndependently(result).width).toBe(1600);
});

it('compresses a stream, and tells an error by its code, from CommonJS', () => {
  const place = project();
  const stdout = expectSuccess(place.node('stream.cjs'));
  expect(stdout).toMatch(/^photos\/sample\.jpg: \d+ bytes saved\nnotes\.txt: unsupported_media_type\n$/);
  expect(decodeIndependently(place.read('smaller.jpg')).width).toBe(1600);
  expect(place.files()).not.toContain('nothing.jpg');
});

describe('with webpack and the real plug-in', () => {
  const BUILD = `
    import webpack from 'webpack';
    import config from './webpack.config.mjs';
    webpack({ ...config, context: process.cwd() }, (error, stats) => {
      const shown = { all: false, errors: true, assets: true, cachedAssets: true, modules: true, cachedModules: true };
      console.log(JSON.stringify(error ? String(error) : stats.toJson(shown)));
      stats?.compilation.compiler.close(() => undefined);
    });`;
  /** @param assets by name, with a query */
  function build(assets: Record<string, Uint8Array>, place = project()) {
    place.put('build.mjs', BUILD);
    for (const [name, bytes] of Object.entries(assets)) place.put(`src/${name.split('?')[0]}`, bytes);
    const lines = Object.keys(assets).map(
      (name) => `console.log(new URL('./${name}', import.meta.url).href);`,
    );
    place.put('src/index.js', lines.join('\n'));
    const { stdout, stderr } = place.node('build.mjs');
    if (!stdout) throw new Error(stderr);
    const totals = /^.*image-compression-service.*$/m.exec(stderr)?.[0];
    const {
      errors,
      assets: built,
      modules,
    } = JSON.parse(stdout) as {
      errors: { message: string; moduleName?: string }[];
      assets: { name: string; info: Record<string, unknown> }[];
      modules: { name?: string; built: boolean }[];
    };
    const output = (suffix: string) => {
      const asset = built.find(({ name }) => name.endsWith(suffix));
      if (!asset) throw new Error(stdout);
      return { info: asset.info, bytes: place.read(`dist/${asset.name}`) };
    };
    const isFromCache = modules.some(({ name, built }) => name === './src/photo.jpg' && !built);
    return { errors, output, isFromCache, totals };
  }

  it('compresses the images of a build, and leaves other assets unchanged', () => {
    const png = graphicPng(300, 200);
    const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
    const { errors, output, totals } = build({ 'photo.jpg': sample, 'drawing.png': png, 'dot.gif': gif });
    expect(errors).toEqual([]);
    expect(totals).toMatch(/2 images, 343\.8 kB -> \d\d\.\d kB \(-\d\d\.\d%\)$/);
    const photo = output('.jpg');
    expect(photo.info).toMatchObject({
      minimized: true,
      minimizedBy: ['image-compression-service'],
      width: 1600,
    });
    expect(photo.bytes.length).toBeLessThan(sample.length / 2);
    expect(decodeIndependently(photo.bytes).height).toBe(1067);
    expect(output('.png').bytes.length).toBeLessThan(png.length);
    expect(output('.gif').bytes).toEqual(gif);
  });

  it('keeps results in the cache of webpack for the same options and version', () => {
    const place = project();
    const installed = 'node_modules/image-compression-service';
    unlinkSync(place.path(installed));
    const install = (version: string) =>
      place.put(`${installed}/index.js`, `module.exports = require(${JSON.stringify(ROOT)}); // ${version}`);
    const photo = { 'photo.jpg': sample };
    install('1.0.0');
    const first = build(photo, place);
    const second = build(photo, place);
    expect([first.isFromCache, second.isFromCache]).toEqual([false, true]);
    expect(second.output('.jpg').bytes).toEqual(first.output('.jpg').bytes);
    expect(first.totals).toMatch(/1 image, 272\.7 kB -> /);
    expect(second.totals).toBe(first.totals);
    install('1.0.1');
    expect([1, 2].map(() => build(photo, place).isFromCache)).toEqual([false, true]);
    place.put('webpack.config.mjs', place.text('webpack.config.mjs').replace("'medium'", "'low'"));
    const low = build(photo, place).output('.jpg').bytes;
    expect(low.length).toBeLessThan(first.output('.jpg').bytes.length);
  });

  it.each([true, false])('reports a damaged image once, with its name (loader: %s)', (loader) => {
    const place = project();
    const config = place.text('webpack.config.mjs');
    place.put(
      'webpack.config.mjs',
      config.replace('minimizer: { impl', `loader: ${loader}, minimizer: { impl`),
    );
    const damaged = { 'photo.jpg': sample.subarray(0, 5_000) };
    for (const { errors } of [build(damaged, place), build(damaged, place)])
      expect(errors.map(({ message }) => message.match(/src.photo\.jpg: .*/)?.[0])).toEqual([
        expect.stringContaining('The JPEG cannot be decoded'),
      ]);
  });

  it('reports that it does not resize', () => {
    const { errors } = build({ 'small.jpg?width=300': sample });
    const about = (name: string) => errors.find(({ moduleName }) => moduleName?.startsWith(`./src/${name}`));
    expect(about('small.jpg')).toMatchObject({
      message: expect.stringContaining('resize is not supported') as string,
    });
  });
});

it('needs no package that the standalone output of Next.js is not told to copy', () => {
  const place = project();
  rmSync(place.path('node_modules'), { recursive: true });
  const [, copied = ''] = /\{(image-compression-service,.*?)\}/.exec(page) ?? [];
  const [itself, ...others] = copied.split(',');
  const copy = (from: string, to = from) => cpSync(PROJECT.path(from), place.path(to), { recursive: true });
  for (const name of ['dist', 'package.json']) copy(name, `node_modules/${itself}/${name}`);
  for (const name of others) copy(`node_modules/${name}`);
  place.put(
    'app.mjs',
    `import { Compressor } from 'image-compression-service';
     for (const codecEngine of ['native', 'squoosh']) {
       const compressor = new Compressor({ codecEngine });
       for (const format of ['jpeg', 'png', 'webp', 'avif']) {
         const { report } = await compressor.compress('photos/sample.jpg', { maxDimension: 64, format });
         console.log(codecEngine, report.format);
       }
       compressor.close();
     }`,
  );
  const formats = ['jpeg', 'png', 'webp', 'avif'];
  const all = ['native', 'squoosh'].flatMap((engine) => formats.map((format) => `${engine} ${format}`));
  expect(expectSuccess(place.node('app.mjs')).trim().split('\n')).toEqual(all);
});

describe('with esbuild', () => {
  const APP = `
    import { compress } from 'image-compression-service';
    compress('photos/sample.jpg', { effort: 'fast' }).then(
      ({ report }) => console.log(report.format, report.width),
      ({ code, message }) => console.log(code, message),
    );`;
  const [, documented = ''] = /^npx esbuild (.*)$/m.exec(page) ?? [];

  function bundled(flags: readonly string[], output: string) {
    const place = project();
    place.put('app.mjs', APP);
    const esbuild = join('node_modules', 'esbuild', 'bin', 'esbuild');
    expectSuccess(place.program(esbuild, [...flags, '--log-level=warning']));
    return place.node(output).stdout;
  }

  it.each([
    ['as documented', documented.split(' '), 'app.cjs'],
    [
      'as an ES module',
      [
        ...['app.mjs', '--bundle', '--platform=node', '--packages=external'],
        ...['--format=esm', '--outfile=out.mjs'],
      ],
      'out.mjs',
    ],
  ])('runs beside a bundle, %s', (_, flags, output) => {
    expect(bundled(flags, output)).toBe('jpeg 1600\n');
  });

  it('says what to do when it is inside of one', () => {
    const flags = documented.split(' ').filter((flag) => !flag.startsWith('--external'));
    expect(bundled(flags, 'app.cjs')).toMatch(
      /^engine_unavailable .*worker-process\.js, does not exist.* external of the bundler: serverExternalPackages in Next\.js, --external:image-compression-service in esbuild\.\n$/,
    );
  });
});
