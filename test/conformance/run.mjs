/**
 * npm run -s conformance -- native|squoosh|PACKAGE [SECONDS] [--files FOLDER]: checks a codec, with files of uploads that it reads; see
 * docs/adding-a-codec.md
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';

const LOAD_MS = 60_000;
const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
const from = process.env.INIT_CWD ?? process.cwd();
const options = { files: { type: 'string' } };
const { values, positionals } = parseArgs({ options, allowPositionals: true, strict: false });
const [subject, seconds = '60'] = positionals;
if (!subject || !(Number(seconds) > 0)) {
  process.stderr.write(
    'Usage: npm run -s conformance -- native|squoosh|PACKAGE [SECONDS] [--files FOLDER]\n',
  );
  process.exit(2);
}

const cache = join(root, 'node_modules', '.cache', 'conformance');
const compiled = new Set();
/** The kit runs with the built service, whose codecs load files beside them. The build has brought the compiler. */
function compile(file) {
  const out = join(cache, `${relative(root, file)}.js`);
  if (compiled.has(out)) return out;
  compiled.add(out);
  const compilerOptions = { target: 'ES2022', module: 'CommonJS', esModuleInterop: true };
  const { outputText } = ts.transpileModule(readFileSync(file, 'utf8'), { compilerOptions });
  const text = outputText.replace(/require\("(\.[^"]*)"\)/g, (_, path) => {
    const found = resolve(dirname(file), path);
    const source = relative(join(root, 'src'), found);
    return `require(${JSON.stringify(source.startsWith(`..${sep}`) ? compile(`${found}.ts`) : join(root, 'dist', source))})`;
  });
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, text);
  return out;
}
const kit = compile(join(root, 'test', 'conformance', 'kit.ts'));
const files = values.files ? [resolve(from, values.files)] : [];

const child = spawn(process.execPath, ['--expose-gc', kit, subject, from, ...files], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
let last = '';
let isLate = false;
const end = () => {
  isLate = true;
  child.kill('SIGKILL');
  // What it has started may keep the pipe open.
  child.stdout.destroy();
};
let timer = setTimeout(end, LOAD_MS);
child.stdout.on('data', (text) => {
  clearTimeout(timer);
  timer = setTimeout(end, seconds * 1000);
  last = String(text);
  process.stdout.write(last);
});
child.on('exit', (code, signal) => {
  clearTimeout(timer);
  if (last.endsWith('.\n') || last.includes('cannot be tested')) process.exit(code);
  const cause = isLate
    ? `did not finish within ${seconds} s`
    : `ended the process: ${signal ?? `exit code ${code}`}`;
  process.stdout.write(`FAIL\n    ${cause}\nThe other checks were not run.\n`);
  process.exit(1);
});
