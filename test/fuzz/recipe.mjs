/** npm run fuzz -- recipe: mutations of valid files through the real recipe; exit code 1 for a finding */
import { mkdirSync, readFileSync, existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { machine, policy } from '../bench/support.mjs';
import { jpegKinds, mutateJpeg } from './jpeg-mutations.mjs';
import { mutatePng, pngKinds } from './png-mutations.mjs';
import { mutationOf } from './random-values.mjs';
import { makeSeeds, seedsIn } from './seeds.mjs';
import { Trials } from './trial.mjs';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string' },
    inputs: { type: 'string' },
    engine: { type: 'string', default: 'native' },
    seed: { type: 'string' },
    out: { type: 'string', default: 'fuzz-findings' },
    seeds: { type: 'string' },
    replay: { type: 'string' },
    formats: { type: 'string' },
  },
});
const folder = process.env.INIT_CWD ?? process.cwd();
const seeds = { ...(await makeSeeds()), ...(options.seeds && seedsIn(resolve(folder, options.seeds))) };
const trials = new Trials(
  options.engine,
  ['jpeg grey', 'jpeg 4:2:0', 'png rgb', 'png rgba'].map((name) => seeds[name]),
);
/** Small enough that every result takes little time. */
const MAX_PIXELS = 4_000_000;
const LONGEST_MS = 2 ** 31 - 1;
const AUTO = ['same', 'avif', 'webp'];
const FORMATS = options.formats?.split(',').map((name) => (name === 'auto' ? AUTO : [name])) ?? [undefined];
/** Findings that are not shrunk, because each step would take as long. */
const SLOW = ['no answer', 'memory', 'spoilt', 'varies'];

if (options.replay) await replay(resolve(folder, options.replay));
else await fuzz();

async function replay(file) {
  const story = existsSync(`${file}.json`) ? JSON.parse(readFileSync(`${file}.json`, 'utf8')) : {};
  try {
    const answer = await trials.run(readFileSync(file), {
      ...policy,
      maxPixels: MAX_PIXELS,
      ...story.settings,
    });
    console.log(answer);
  } catch (error) {
    console.log(error.message);
    process.exitCode = 1;
  }
  trials.end();
}

function inputs() {
  const mutations = (kinds) => fc.array(mutationOf(kinds), { minLength: 1, maxLength: 3 });
  const settings = fc.record({
    maxDimensionPx: fc.constantFrom(3840, 3840, 3840, 64),
    targetScore: fc.constantFrom(policy.targetScore, policy.targetScore, 1),
    effort: fc.constantFrom('balanced', 'balanced', 'fast'),
    formats: fc.constantFrom(...FORMATS),
    minSavingsRatio: fc.constantFrom(policy.minSavingsRatio, 0),
    box: fc.constantFrom(undefined, undefined, undefined, { maxWidth: 40 }, { maxWidth: 50, maxHeight: 20 }),
    byteLimit: fc.constantFrom(undefined, undefined, undefined, undefined, {
      maxBytes: 900,
      allowsAny: false,
    }),
  });
  const jpegs = Object.keys(seeds).filter((name) => name.startsWith('jpeg'));
  const pngs = Object.keys(seeds).filter((name) => !name.startsWith('jpeg'));
  const of = (names, kinds) =>
    fc.record({ name: fc.constantFrom(...names), mutations: mutations(kinds), settings });
  return fc.oneof(of(jpegs, jpegKinds), of(pngs, pngKinds));
}

async function fuzz() {
  const made = ({ name, mutations }) =>
    (name.startsWith('jpeg') ? mutateJpeg : mutatePng)(Buffer.from(seeds[name]), mutations);
  const counts = {};
  const found = new Map();
  let seed = Number(options.seed ?? Date.now() % 2 ** 31);
  let tried = 0;
  const remember = (input, error) => {
    const file = save(made(input), { ...input, seed, finding: error.message }, found.size);
    found.set(error.signature ?? String(error), { times: 1, file });
    console.log(`FOUND ${error.message.split('\n').slice(0, 2).join(' ')}\n      ${file}`);
  };
  const start = performance.now();
  const minutes = Number(options.minutes ?? (options.inputs ? Infinity : 1));
  const most = Number(options.inputs ?? 1e9);
  const msLeft = () => Math.min(start + minutes * 60_000 - performance.now(), LONGEST_MS);
  console.log(
    `${machine()}, engine ${options.engine}, seed ${seed}, ${options.inputs ? `${most} inputs` : `${minutes} minutes`}, ${Object.keys(seeds).length} valid files`,
  );

  const property = fc.asyncProperty(inputs(), async (input) => {
    tried++;
    try {
      const answer = await trials.run(made(input), { ...policy, maxPixels: MAX_PIXELS, ...input.settings });
      counts[answer] = (counts[answer] ?? 0) + 1;
    } catch (error) {
      const known = found.get(error.signature);
      if (known) known.times++;
      // Slow findings are saved as they are; others are shrunk first.
      else if (SLOW.includes(error.kind)) remember(input, error);
      else throw error;
    }
  });
  while (msLeft() > 0 && tried < most) {
    const { failed, counterexample, errorInstance } = await fc.check(property, {
      seed,
      numRuns: most - tried,
      interruptAfterTimeLimit: msLeft(),
      markInterruptAsFailure: false,
    });
    if (failed && counterexample) remember(counterexample[0], errorInstance);
    seed++;
  }
  trials.end();
  report(tried, counts, found, (performance.now() - start) / 1000);
}

function save(bytes, story, number) {
  const out = resolve(folder, options.out);
  mkdirSync(out, { recursive: true });
  const file = join(
    out,
    `${options.engine}-${story.seed}-${number}.${story.name.startsWith('jpeg') ? 'jpg' : 'png'}`,
  );
  writeFileSync(file, bytes);
  writeFileSync(`${file}.json`, JSON.stringify(story, undefined, 2));
  return file;
}

function report(tried, counts, found, seconds) {
  console.log(`\n${tried} inputs in ${seconds.toFixed(0)} s, ${(tried / seconds).toFixed(1)} a second`);
  for (const [answer, count] of Object.entries(counts).sort((a, b) => b[1] - a[1]))
    console.log(`  ${String(count).padStart(8)} ${answer}`);
  if (trials.most) console.log(`peak of a worker ${trials.most.toFixed(0)} MB`);
  console.log(found.size === 0 ? 'nothing found' : `${found.size} findings`);
  for (const [signature, { times, file }] of found) console.log(`  ${times} x ${signature}\n      ${file}`);
  if (found.size > 0) process.exitCode = 1;
}
