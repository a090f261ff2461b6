import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectSuccess } from '../support/ended';
import { decodeIndependently, graphicPng } from '../support/images';
import { examples, node, page, project, sample } from './installed-project';

it('has the examples that are tested here', () => {
  expect(examples.map(({ name }) => name)).toEqual([
    'folder.mjs',
    'stream.cjs',
    'vite.config.mjs',
    'webpack.config.mjs',
  ]);
});

it('compresses a folder, from an ES module', () => {
  const folder = project();
  const stdout = expectSuccess(node(folder, 'folder.mjs'));
  expect(stdout).toMatch(/^drawing\.png: \d+ → \d+ bytes\nsample\.jpg: 272709 → \d+ bytes\n$/);
  const result = readFileSync(join(folder, 'web', 'sample.jpg'));
  expect(result.length).toBeLessThan(sample.length);
  expect(decodeIndependently(result).width).toBe(1600);
});

it('compresses a stream, and tells an error by its code, from CommonJS', () => {
  const folder = project();
  const stdout = expectSuccess(node(folder, 'stream.cjs'));
  expect(stdout).toMatch(/^photos\/sample\.jpg: \d+ bytes saved\nnotes\.txt: unsupported_media_type\n$/);
  expect(decodeIndependently(readFileSync(join(folder, 'smaller.jpg'))).width).toBe(1600);
  expect(existsSync(join(folder, 'nothing.jpg'))).toBe(false);
});

describe('with webpack and the real plug-in', () => {
  const BUILD = `
    import webpack from 'webpack';
    import config from './webpack.config.mjs';
    webpack({ ...config, context: process.cwd() }, (error, stats) => {
      console.log(JSON.stringify(error ? String(error) : stats.toJson({ all: false, errors: true, assets: true })));
    });`;
  /** @param assets by name, with a query */
  function build(assets: Record<string, Uint8Array>) {
    const folder = project();
    writeFileSync(join(folder, 'build.mjs'), BUILD);
    for (const [name, bytes] of Object.entries(assets))
      writeFileSync(join(folder, 'src', name.split('?')[0]), bytes);
    const lines = Object.keys(assets).map(
      (name) => `console.log(new URL('./${name}', import.meta.url).href);`,
    );
    writeFileSync(join(folder, 'src', 'index.js'), lines.join('\n'));
    const { stdout, stderr } = node(folder, 'build.mjs');
    if (!stdout) throw new Error(stderr);
    const { errors, assets: built } = JSON.parse(stdout) as {
      errors: { message: string; moduleName?: string }[];
      assets: { name: string; info: Record<string, unknown> }[];
    };
    const output = (suffix: string) => {
      const asset = built.find(({ name }) => name.endsWith(suffix));
      if (!asset) throw new Error(stdout);
      return { info: asset.info, bytes: readFileSync(join(folder, 'dist', asset.name)) };
    };
    return { errors, output };
  }

  it('compresses the images of a build, and leaves other assets unchanged', () => {
    const png = graphicPng(300, 200);
    const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
    const { errors, output } = build({ 'photo.jpg': sample, 'drawing.png': png, 'dot.gif': gif });
    expect(errors).toEqual([]);
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

  it('reports a damaged image with its name, and that it does not resize', () => {
    const { errors } = build({ 'photo.jpg': sample.subarray(0, 5_000), 'small.jpg?width=300': sample });
    const about = (name: string) => errors.find(({ moduleName }) => moduleName?.startsWith(`./src/${name}`));
    expect(about('photo.jpg')).toMatchObject({
      message: expect.stringContaining('The JPEG cannot be decoded') as string,
    });
    expect(about('small.jpg')).toMatchObject({
      message: expect.stringContaining('resize is not supported') as string,
    });
  });
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
    const folder = project();
    writeFileSync(join(folder, 'app.mjs'), APP);
    const esbuild = join('node_modules', 'esbuild', 'bin', 'esbuild');
    expectSuccess(
      spawnSync(esbuild, [...flags, '--log-level=warning'], {
        cwd: folder,
        encoding: 'utf8',
      }),
    );
    return node(folder, output).stdout;
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
      /^engine_unavailable .*worker-process\.js, does not exist.*--external:image-compression-service\.\n$/,
    );
  });
});
