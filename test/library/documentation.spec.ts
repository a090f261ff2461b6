/** Runs the examples of docs/library.md, and compiles the types in a TypeScript program. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { decodeIndependently, graphicPng } from '../support/images';

const ROOT = join(__dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'library.md'), 'utf8');
const examples = [...page.matchAll(/^```js example=(\S+)\n([\s\S]*?)^```$/gm)].map(([, name, text]) => ({
  name,
  text,
}));
const sample = readFileSync(join(ROOT, 'examples', 'sample.jpg'));

/** A project in which the package resolves as installed, with some images. */
function project(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ics-project-'));
  for (const name of [
    'image-compression-service',
    'image-minimizer-webpack-plugin',
    'webpack',
    'esbuild',
    '@types/node',
  ]) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(name === 'image-compression-service' ? ROOT : join(ROOT, 'node_modules', name), link);
  }
  for (const name of ['photos', 'web', 'src']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'photos', 'sample.jpg'), sample);
  writeFileSync(join(folder, 'photos', 'drawing.png'), graphicPng(300, 200));
  writeFileSync(join(folder, 'notes.txt'), 'no image');
  for (const { name, text } of examples) writeFileSync(join(folder, name), text);
  return folder;
}
function node(folder: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 170_000,
  });
  return { status, stdout, stderr };
}

it('has the examples that are tested here', () => {
  expect(examples.map(({ name }) => name)).toEqual(['folder.mjs', 'stream.cjs', 'webpack.config.mjs']);
});

it('compresses a folder, from an ES module', () => {
  const folder = project();
  const { status, stdout, stderr } = node(folder, 'folder.mjs');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^drawing\.png: \d+ → \d+ bytes\nsample\.jpg: 272709 → \d+ bytes\n$/);
  const result = readFileSync(join(folder, 'web', 'sample.jpg'));
  expect(result.length).toBeLessThan(sample.length);
  expect(decodeIndependently(result).width).toBe(1600);
});

it('compresses a stream, and tells an error by its code, from CommonJS', () => {
  const folder = project();
  const { status, stdout, stderr } = node(folder, 'stream.cjs');
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^photos\/sample\.jpg: \d+ bytes saved\nnotes\.txt: unsupported_media_type\n$/);
  expect(decodeIndependently(readFileSync(join(folder, 'smaller.jpg'))).width).toBe(1600);
});

describe('with webpack and the real plug-in', () => {
  const BUILD = `
    import webpack from 'webpack';
    import config from './webpack.config.mjs';
    webpack({ ...config, context: process.cwd() }, (error, stats) => {
      console.log(JSON.stringify(error ? String(error) : stats.toJson({ all: false, errors: true, assets: true })));
    });`;
  function build(assets: Record<string, Uint8Array>, query = '') {
    const folder = project();
    writeFileSync(join(folder, 'build.mjs'), BUILD);
    for (const [name, bytes] of Object.entries(assets)) writeFileSync(join(folder, 'src', name), bytes);
    const lines = Object.keys(assets).map(
      (name) => `console.log(new URL('./${name}${query}', import.meta.url).href);`,
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

  it('reports a damaged image with its name', () => {
    const { errors } = build({ 'photo.jpg': sample.subarray(0, 5_000) });
    expect(errors[0]).toMatchObject({
      moduleName: './src/photo.jpg',
      message: expect.stringContaining('The JPEG cannot be decoded') as string,
    });
  });

  it('reports that it does not resize', () => {
    const { errors } = build({ 'photo.jpg': sample }, '?width=300');
    expect(errors[0]).toMatchObject({
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

  function bundled(flags: readonly string[], output: string): string {
    const folder = project();
    writeFileSync(join(folder, 'app.mjs'), APP);
    const esbuild = join('node_modules', 'esbuild', 'bin', 'esbuild');
    const { status, stderr } = spawnSync(esbuild, [...flags, '--log-level=warning'], {
      cwd: folder,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
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

describe('types', () => {
  const USE = `
    import { createReadStream } from 'node:fs';
    import { compress, compressStream, Compressor, ImageRefusedError, type CompressOptions } from 'image-compression-service';
    const options: CompressOptions = { quality: 'low', maxDimension: 100, signal: new AbortController().signal };
    export async function use(): Promise<number> {
      const { bytes, report } = await compress(new Uint8Array(), options);
      const stream: NodeJS.ReadWriteStream = compressStream({ quality: 0.99 });
      new Compressor({ workers: 2 }).close();
      const { body } = await fetch('https://example.com/photo.jpg');
      if (body) await compress(body);
      for (const input of ['a.jpg', new URL('file:///a.jpg'), new Blob([]), new ArrayBuffer(1), createReadStream('a.jpg')])
        await compress(input);
      if (report.skipReason === 'animated') throw new ImageRefusedError('' as never);
      // @ts-expect-error: no such quality
      void compress(bytes, { quality: 'best' });
      // @ts-expect-error: no input
      void compress(5);
      return stream.readable ? bytes.length : report.originalWidth + report.dimensions.width;
    }`;
  const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

  it.each([
    ['node16', ['--module', 'node16'], ['use.mts', 'use.cts']],
    ['nodenext, without the DOM', ['--module', 'nodenext', '--lib', 'es2023'], ['use.mts', 'use.cts']],
    ['a bundler', ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022'], ['use.ts']],
  ])('compile without skipLibCheck, for %s', (_, resolution, files) => {
    const folder = project();
    for (const file of files) writeFileSync(join(folder, file), USE);
    const flags = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--types', 'node'];
    const { status, stdout } = node(folder, TSC, ...resolution, ...flags, ...files);
    expect([status, stdout]).toEqual([0, '']);
  });

  it('fit the plug-in', () => {
    const folder = project();
    const config = examples.find((example) => example.name === 'webpack.config.mjs')?.text ?? '';
    writeFileSync(join(folder, 'webpack.config.mts'), config);
    const flags = ['--module', 'node16', '--strict', '--noEmit', '--types', 'node', '--skipLibCheck'];
    const { status, stdout } = node(folder, TSC, ...flags, 'webpack.config.mts');
    expect([status, stdout]).toEqual([0, '']);
  });
});
