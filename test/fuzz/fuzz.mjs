/** npm run fuzz -- TARGET [SECONDS]; exit code 77 when a failing input was saved in regressions/TARGET */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../../scripts/prepare.mjs';
import { fail } from '../../scripts/terminal.mjs';
import { makeImages } from './seeds.mjs';

const TIMEOUT_MS = 20_000;
const MAX_MEGABYTES = 2048;

const [name, seconds = '60'] = process.argv.slice(2);
if (name === 'recipe' || name === 'http') {
  process.argv.splice(2, 1);
  await import(`./${name}.mjs`);
  process.exit();
}
const folder = join(root, 'test', 'fuzz');
const names = readdirSync(join(folder, 'targets')).map((file) => basename(file, '.mjs'));
if (!names.includes(name))
  fail(`Usage: npm run fuzz -- TARGET [SECONDS]\nTargets: recipe, http, ${names.join(', ')}`);

const [corpus, seeds, regressions] = [
  join(root, 'fuzz-findings', name, 'corpus'),
  join(root, 'fuzz-findings', name, 'seeds'),
  join(folder, 'regressions', name),
];
for (const each of [corpus, seeds, regressions]) mkdirSync(each, { recursive: true });

const {
  asFindingAwareFuzzFn,
  initFuzzing,
  OptionSource,
  OptionsManager,
  registerGlobals,
  startFuzzingNoInit,
} = await import('@jazzer.js/core').catch((error) =>
  fail(`${error.message}\nThe fuzzer needs glibc 2.38 or newer, macOS or Windows: see CONTRIBUTING.md.`),
);
const options = new OptionsManager(OptionSource.DefaultCLIOptions).merge(
  {
    includes: [join(root, 'dist', '/')],
    excludes: ['node_modules'],
    timeout: TIMEOUT_MS,
    fuzzerOptions: [
      ...[corpus, seeds, regressions],
      ...[`-max_total_time=${seconds}`, `-rss_limit_mb=${MAX_MEGABYTES}`],
      ...[`-artifact_prefix=${join(regressions, '/')}`, '-print_final_stats=1'],
    ],
  },
  OptionSource.CommandLineArguments,
);
registerGlobals(options);
await initFuzzing(options);
// Only code that is loaded from here on is measured.
const target = await import(`./targets/${name}.mjs`);
target.seeds(await makeImages()).forEach((bytes, i) => writeFileSync(join(seeds, String(i)), bytes));
options.merge(
  {
    sync: target.fuzz.constructor.name !== 'AsyncFunction',
    dictionaryEntries: (target.words ?? []).map((word) => Buffer.from(word, 'latin1')),
  },
  // The only source that may name words.
  OptionSource.JestFuzzTestOptions,
);
const { returnCode } = await startFuzzingNoInit(asFindingAwareFuzzFn(target.fuzz), options);
process.exit(returnCode);
