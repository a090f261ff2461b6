/** The types of the library, as programs with other module systems and settings see them. */
import { join } from 'node:path';
import { examples, project } from './installed-project';

/** Each becomes a module of its own; what it must not compile has an expected error. */
const RULES: Readonly<Record<string, string>> = {
  inputs: `
    import { createReadStream } from 'node:fs';
    import { compress } from 'image-compression-service';
    export async function use(response: Response): Promise<void> {
      await compress('a.jpg');
      await compress(new URL('file:///a.jpg'));
      await compress(new Uint8Array());
      await compress(new ArrayBuffer(1));
      await compress(new Blob([]));
      await compress(createReadStream('a.jpg'));
      if (response.body) await compress(response.body);
      // @ts-expect-error: no input
      await compress(5);
    }`,
  options: `
    import { compress, type CompressOptions } from 'image-compression-service';
    export const options: CompressOptions = { quality: 'low', maxDimension: 100, signal: new AbortController().signal };
    void compress('a.jpg', options);
    void compress('a.jpg', { quality: 0.99 });
    // @ts-expect-error: no such quality
    void compress('a.jpg', { quality: 'best' });`,
  reports: `
    import { compress } from 'image-compression-service';
    export async function use(): Promise<number> {
      const { bytes, report } = await compress('a.jpg');
      if (report.skipReason === 'animated') return bytes.length;
      await new Response(bytes).blob();
      // @ts-expect-error: no such reason
      if (report.skipReason === 'ugly') return 0;
      return report.originalWidth + report.width;
    }`,
  classes: `
    import { Compressor, compressStream, ImageRefusedError } from 'image-compression-service';
    new Compressor({ workers: 2 }).close();
    export const stream: NodeJS.ReadWriteStream = compressStream({ effort: 'fast' });
    export const isRefusal = (error: unknown): boolean => error instanceof ImageRefusedError && error.code !== 'image_too_large';`,
};
const WRONG = `import { compress } from 'image-compression-service';\nvoid compress(5);`;

const modules = (...extensions: string[]) =>
  Object.keys(RULES).flatMap((rule) => extensions.map((extension) => `${rule}.${extension}`));
const strict = ['--strict', '--exactOptionalPropertyTypes', '--noEmit'];
const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022'];
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  node16: [...strict, '--module', 'node16', ...modules('mts', 'cts')],
  'nodenext, without the DOM': [
    ...[...strict, '--module', 'nodenext', '--lib', 'es2023'],
    ...modules('mts', 'cts'),
  ],
  'a bundler': [...strict, ...bundler, ...modules('ts')],
};
const CONFIGURATIONS: typeof PROGRAMS = {
  webpack: ['--strict', '--noEmit', '--module', 'node16', 'webpack.config.mts'],
  vite: [...strict, ...bundler, '--skipLibCheck', 'vite.config.mts'],
};
const ALL: typeof PROGRAMS = { ...PROGRAMS, ...CONFIGURATIONS, wrong: [...strict, ...bundler, 'wrong.ts'] };

interface Outcome {
  readonly declarations: number;
  readonly faults: readonly { readonly file?: string; readonly text: string }[];
}
const outcomes = new Map<string, Outcome>();

beforeAll(() => {
  const place = project();
  for (const [rule, text] of Object.entries(RULES))
    for (const extension of ['ts', 'mts', 'cts']) place.put(`${rule}.${extension}`, text);
  for (const tool of Object.keys(CONFIGURATIONS)) {
    const { text } = examples.find(({ name }) => name === `${tool}.config.mjs`)!;
    place.put(`${tool}.config.mts`, text);
  }
  place.put('wrong.ts', WRONG);
  const check = join(__dirname, 'check-types.mjs');
  const { stdout, stderr } = place.node(check, JSON.stringify(Object.values(ALL)));
  expect(stderr).toBe('');
  const lines = stdout.trim().split('\n');
  Object.keys(ALL).forEach((name, i) => outcomes.set(name, JSON.parse(lines[i]) as Outcome));
});

describe.each(Object.keys(PROGRAMS))('a program for %s', (name) => {
  it.each(Object.keys(RULES))('has types for %s', (rule) => {
    const { faults } = outcomes.get(name)!;
    expect(faults.filter(({ file = '' }) => file.startsWith(`${rule}.`))).toEqual([]);
  });

  it('finds no fault in our declarations', () => {
    const { declarations, faults } = outcomes.get(name)!;
    expect(declarations).toBeGreaterThan(0);
    expect(faults.map(({ text }) => text)).toEqual([]);
  });
});

it.each(Object.keys(CONFIGURATIONS))('the documented configuration of %s compiles', (tool) => {
  expect(outcomes.get(tool)).toEqual({ declarations: expect.any(Number) as number, faults: [] });
});

it('a wrong call is an error where it is called', () => {
  const { faults } = outcomes.get('wrong')!;
  expect(faults.map(({ file, text }) => [file, text])).toEqual([
    ['wrong.ts', expect.stringMatching(/^wrong\.ts\(2,15\): error TS2345/)],
  ]);
});
