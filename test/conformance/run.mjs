/** npm run -s conformance -- native|squoosh|PACKAGE [SECONDS]: checks a codec; see docs/adding-a-codec.md */
import { spawn } from 'node:child_process';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const LOAD_MS = 60_000;
const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
const [subject, seconds = '60'] = process.argv.slice(2);
if (!subject || !(Number(seconds) > 0)) {
  process.stderr.write('Usage: npm run -s conformance -- native|squoosh|PACKAGE [SECONDS]\n');
  process.exit(2);
}

/** The kit runs with the built service, whose codecs load files beside them. */
const withDist = {
  name: 'dist',
  setup(builder) {
    builder.onResolve({ filter: /\/src\// }, ({ path, resolveDir }) => {
      const built = resolve(resolveDir, path).replace(join(root, 'src'), join(root, 'dist'));
      return { path: `${built}.js`, external: true };
    });
  },
};
const kit = join(root, 'node_modules', '.cache', 'conformance.cjs');
await build({
  entryPoints: [join(root, 'test', 'conformance', 'kit.ts')],
  outfile: kit,
  bundle: true,
  platform: 'node',
  packages: 'external',
  plugins: [withDist],
  logLevel: 'error',
});

const child = spawn(process.execPath, ['--expose-gc', kit, subject, process.env.INIT_CWD ?? process.cwd()], {
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
