/** node test/fuzz/replay.mjs [TARGET]...: runs fuzz targets without the fuzzer; exit code 1 when an input fails */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { root } from '../../scripts/prepare.mjs';
import { makeImages } from './seeds.mjs';

const MUTATIONS = 300;
const folder = join(root, 'test', 'fuzz');
const all = readdirSync(join(folder, 'targets')).map((file) => basename(file, '.mjs'));
const names = process.argv.length > 2 ? process.argv.slice(2) : all;
const images = await makeImages();

function filesIn(directory) {
  return existsSync(directory)
    ? readdirSync(directory).map((file) => readFileSync(join(directory, file)))
    : [];
}

const mutated = (inputs) =>
  fc
    .record({
      input: fc.constantFrom(...inputs),
      changes: fc.array(fc.tuple(fc.nat(), fc.oneof(fc.constantFrom(0, 1, 127, 128, 255), fc.nat(255))), {
        maxLength: 4,
      }),
      size: fc.oneof({ weight: 4, arbitrary: fc.constant(Infinity) }, fc.nat()),
    })
    .map(({ input, changes, size }) => {
      const bytes = Buffer.from(input);
      for (const [at, value] of changes) if (bytes.length > 0) bytes[at % bytes.length] = value;
      return size === Infinity ? bytes : bytes.subarray(0, size % (bytes.length + 1));
    });

for (const name of names) {
  const { fuzz, seeds } = await import(`./targets/${name}.mjs`);
  const valid = seeds(images).map((bytes) => Buffer.from(bytes));
  const found = filesIn(join(folder, 'regressions', name));
  let inputs = 0;
  const run = async (bytes) => (inputs++, fuzz(Buffer.from(bytes)));
  try {
    for (const bytes of [...valid, ...found]) await run(bytes);
    await fc.assert(fc.asyncProperty(mutated([...valid, ...found]), run), { numRuns: MUTATIONS, seed: 1 });
    console.log(
      `${name}: ${valid.length} valid inputs, ${found.length} that once failed, ${inputs} in total`,
    );
  } catch (error) {
    console.error(`${name}: ${error.stack}`);
    process.exitCode = 1;
  }
}
