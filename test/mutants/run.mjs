/**
 * Breaks the rules of rules.json, one after the other, and prints which of them the quick tier notices. It works in a copy of the
 * checkout, so nothing stays broken if it is interrupted.
 *
 * npm run test:mutants              all rules; exits with 1 if the quick tier misses more than two
 * npm run test:mutants -- TEXT ...  the rules whose sentence or file contains one of these
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const MAY_MISS = 2;
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const texts = process.argv.slice(2);
const rules = JSON.parse(readFileSync(join(root, 'test/mutants/rules.json'), 'utf8')).filter(
  ({ rule, file }) => texts.length === 0 || texts.some((text) => rule.includes(text) || file.includes(text)),
);

const copy = mkdtempSync(join(tmpdir(), 'ics-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));
copyCheckout();
process.chdir(copy);
const temporary = join(copy, 'tmp');
mkdirSync(temporary);
const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
const { options: compilerOptions } = ts.convertCompilerOptionsFromJson(config.compilerOptions, copy);

// What fails without a mutant cannot notice one.
if (!(await pass([...new Set(rules.map(({ first }) => first))])))
  throw new Error('The specs to try first fail without a mutant');
let tierPasses;
let missed = 0;
for (const { rule, file, search, replacement, first } of rules) {
  const text = readFileSync(join('src', file), 'utf8');
  if (text.split(search).length !== 2) throw new Error(`${file} does not have this text once: ${search}`);
  const mutant = text.replace(search, () => replacement);
  const startedAt = performance.now();
  writeSource(file, mutant);
  let noticedBy = (await pass([first])) ? undefined : first;
  if (!noticedBy) {
    writeSource(file, text);
    tierPasses ??= await pass([]);
    writeSource(file, mutant);
    if (tierPasses && !(await pass([]))) noticedBy = 'the quick tier';
  }
  writeSource(file, text);
  if (!noticedBy) missed++;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
  console.log(`${noticedBy ? 'noticed' : 'MISSED '} ${seconds} s  ${rule}  (${noticedBy ?? file})`);
}
if (tierPasses === false) console.log('The quick tier fails without a mutant: only the first specs count.');
console.log(`${rules.length - missed} of ${rules.length} noticed`);
process.exitCode = missed > MAY_MISS ? 1 : 0;

function copyCheckout() {
  const listing = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listing, { cwd: root, maxBuffer: 2 ** 26 })
    .toString()
    .split('\0');
  for (const file of [...files.filter(Boolean), 'dist'])
    cpSync(join(root, file), join(copy, file), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
}

/** Writes a file of src, and the one that the build makes of it. */
function writeSource(file, text) {
  writeFileSync(join('src', file), text);
  const fileName = join(copy, 'src', file);
  const { outputText } = ts.transpileModule(text, { fileName, compilerOptions });
  writeFileSync(join('dist', file.replace(/\.ts$/, '.js')), outputText);
}

/** Returns whether the specs pass whose path matches one of the patterns; without any, those of the quick tier. */
function pass(patterns) {
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = [
    join('node_modules', 'jest', 'bin', 'jest.js'),
    '--config',
    'config/jest.config.cjs',
    '--bail',
  ];
  // A group of its own: Jest leaves its services behind when it is killed, and when it bails.
  const child = spawn(process.execPath, [...flags, ...jest, ...patterns], {
    env: { ...process.env, TEST_TIER: patterns.length > 0 ? '' : 'quick', TMPDIR: temporary },
    stdio: 'ignore',
    detached: true,
  });
  const stop = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All processes have ended.
    }
  };
  process.on('exit', stop);
  return new Promise((resolve) =>
    child.once('exit', (code) => {
      process.off('exit', stop);
      stop();
      resolve(code === 0);
    }),
  );
}
