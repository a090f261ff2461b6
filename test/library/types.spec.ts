import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { examples, node, project } from './installed-project';

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
    return stream.readable ? bytes.length : report.originalWidth + report.width;
  }`;
/** Prints the errors in our declarations and in the program; those of others would be checked for 3 s more each. */
const CHECK = `
  import { join, sep } from 'node:path';
  import ts from 'typescript';
  const sources = new Map();
  for (const command of JSON.parse(process.argv[2])) {
    const { options, fileNames, errors } = ts.parseCommandLine(command);
    const host = ts.createCompilerHost(options);
    const read = host.getSourceFile;
    // Most of a check is reading the types of Node and of the language.
    host.getSourceFile = (name, language, ...rest) => {
      const key = JSON.stringify([name, language]);
      if (!sources.has(key)) sources.set(key, read(name, language, ...rest));
      return sources.get(key);
    };
    const program = ts.createProgram(fileNames, options, host);
    const isOurs = (name) => !name.includes('node_modules') || name.includes(join('image-compression-service', 'dist') + sep);
    const ours = program.getSourceFiles().filter(({ fileName }) => isOurs(fileName));
    const found = [
      ...errors,
      ...program.getOptionsDiagnostics(),
      ...program.getGlobalDiagnostics(),
      ...ours.flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
    ];
    console.log(JSON.stringify({
      declarations: ours.filter(({ fileName }) => fileName.includes('dist')).length,
      errors: ts.formatDiagnostics(found, host),
    }));
  }`;
const CONFIGS = ['webpack.config', 'vite.config'];
const strict = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--types', 'node'];
const bundler = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022'];
const PROGRAMS = {
  'a program for node16': [...strict, '--module', 'node16', 'use.mts', 'use.cts'],
  'one for nodenext, without the DOM': [
    ...[...strict, '--module', 'nodenext', '--lib', 'es2023'],
    ...['use.mts', 'use.cts'],
  ],
  'one for a bundler': [...strict, ...bundler, 'use.ts'],
  'the configuration of webpack': [
    ...['--strict', '--noEmit', '--types', 'node', '--module', 'node16'],
    'webpack.config.mts',
  ],
  'the configuration of Vite': [...strict, ...bundler, '--skipLibCheck', 'vite.config.mts'],
  'one that is wrong': [...strict, ...bundler, 'wrong.ts'],
};
let results: { declarations: number; errors: string }[];
beforeAll(() => {
  const folder = project();
  for (const name of ['use.mts', 'use.cts', 'use.ts']) writeFileSync(join(folder, name), USE);
  for (const name of CONFIGS) {
    const { text = '' } = examples.find((example) => example.name === `${name}.mjs`) ?? {};
    writeFileSync(join(folder, `${name}.mts`), text);
  }
  const wrong = `import { compress } from 'image-compression-service';\nvoid compress(5);`;
  writeFileSync(join(folder, 'wrong.ts'), wrong);
  writeFileSync(join(folder, 'check.mjs'), CHECK);
  const { stdout, stderr } = node(folder, 'check.mjs', JSON.stringify(Object.values(PROGRAMS)));
  expect(stderr).toBe('');
  results = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as (typeof results)[number]);
});

it.each(Object.keys(PROGRAMS).map((name, i) => [name, i] as const))(
  '%s compiles, unless it is wrong',
  (name, i) => {
    const { declarations, errors } = results[i];
    expect(declarations).toBeGreaterThan(0);
    if (name.endsWith('wrong')) expect(errors).toMatch(/^wrong\.ts\(2,15\): error TS2345/);
    else expect(errors).toBe('');
  },
);
