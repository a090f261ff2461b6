/** npm run bench -- NAME [ARGUMENTS]; FOLDER has images, by default the repository's. Without a name, lists them. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

const RECIPES = {
  photos: ['FOLDER', 'the whole recipe beside one plain encode of the same quality'],
  versions: ['FOLDER --against DIR', 'time and bytes beside another version, built in DIR'],
  png: ['FOLDER', 'PNG graphics beside pngquant and oxipng'],
  people: ['FOLDER', 'how often the score and other metrics agree with answers of people'],
  uploads: ['FOLDER', 'bytes of JPGs beside an exact search on SSIMULACRA2'],
  densities: [
    'FOLDER --density 2 --of same,avif,webp --max-dimension 3840',
    'formats and densities beside density 1',
  ],
};
const SCRIPTS = {
  attacks: ['[ROOT [NAME]]', 'hostile clients beside a well-behaved one; `. accounts`: crowds beside others'],
  calibrate: ['FOLDER', 'the weights of the score, fitted on one half and read on the other'],
  digests: [
    'FOLDER… --of DIR --out FILE --against FILE --quick',
    'whether results are still the same, byte for byte',
  ],
  limits: ['[FOLDER] --engine native', 'time and memory of single files; of bombs without a FOLDER'],
  load: ['FOLDER --seconds 20', 'images a second, waiting times and memory under 1 to 32 clients'],
};

const [, , name, ...rest] = process.argv;
if (!name || !(name in RECIPES || name in SCRIPTS)) {
  const lines = Object.entries({ ...RECIPES, ...SCRIPTS }).map(
    ([key, [usage, meaning]]) => `  ${`${key} ${usage}`.padEnd(70)}${meaning}`,
  );
  console.log(`Usage: npm run bench -- NAME [ARGUMENTS]\n${lines.join('\n')}`);
  process.exit(name ? 2 : 0);
}
process.argv.splice(2, 1);
if (name in SCRIPTS) await import(`./${name}.mjs`);
else await compareRecipes();

async function compareRecipes() {
  const { values, positionals } = parseArgs({
    args: rest,
    allowPositionals: true,
    options: {
      against: { type: 'string' },
      density: { type: 'string', default: '2' },
      of: { type: 'string', default: 'same' },
      'max-dimension': { type: 'string', default: '3840' },
    },
  });
  const { folderOf, machine } = await import('./support.mjs');
  const folder = folderOf(positionals[0]);
  if (!existsSync(folder) || (name === 'versions' && !values.against)) {
    console.error(`Usage: npm run bench -- ${name} ${RECIPES[name][0]}, with a folder that exists.`);
    process.exit(2);
  }
  console.log(machine());
  const { run } = await import(`./${name}.mjs`);
  await run(folder, {
    against: values.against && folderOf(values.against),
    density: Number(values.density),
    maxDimensionPx: Number(values['max-dimension']),
    formats: values.of.split(','),
  });
}
