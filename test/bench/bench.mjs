/**
 * npm run bench [-- FOLDER]             what the promise costs: the whole recipe against one plain encode
 * npm run bench -- FOLDER --against DIR time and bytes against another version, built in DIR
 * npm run bench -- FOLDER --wrong-files what the product makes of files that came back wrong, and which rules it breaks
 * npm run bench -- FOLDER --uploads     bytes of JPEGs of up to 2 megapixels, against an exact search on SSIMULACRA2
 * npm run bench -- FOLDER --efforts     what each EFFORT costs and saves
 * npm run bench -- FOLDER --pipeline    against the straightforward pipeline on the named packages
 * npm run bench -- FOLDER --png         PNG graphics, against pngquant and oxipng where pngquant is installed
 * npm run bench -- --rungs              draws what each rung makes of a PNG gradient, into docs/plots
 * npm run bench -- FOLDER --search      draws how the search went on one photo, into docs/plots
 * npm run bench -- FOLDER --formats     AVIF and WebP against our own format; --max-dimension PX scales down first
 * npm run bench -- FOLDER --density 2   as seen at a display density, against density 1; --of jpeg,avif,webp; --max-dimension PX
 * npm run bench -- FOLDER --budgets     up to 20 photos against max_bytes of 50, 100 and 200 kB
 * npm run bench -- FOLDER --plot        draws docs/plots from calibration images (FOLDER with scores-jpegli.tsv)
 *
 * Prints ratios; only --wrong-files judges. Without a FOLDER the sample of the repository is taken.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values: modes, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...Object.fromEntries(
      [
        ...['uploads', 'efforts', 'pipeline', 'png', 'rungs', 'search', 'budgets', 'plot', 'formats'],
        'wrong-files',
      ].map((name) => [name, { type: 'boolean' }]),
    ),
    against: { type: 'string' },
    density: { type: 'string' },
    of: { type: 'string', default: 'same' },
    'max-dimension': { type: 'string', default: '3840' },
  },
});
const { folderOf, machine } = await import('./support.mjs');
const folder = folderOf(positionals[0]);
if (!existsSync(folder)) {
  console.error(`There is no folder ${folder}.`);
  process.exit(2);
}
console.log(machine());
if (modes.against) await (await import('./versions.mjs')).compareVersions(folder, folderOf(modes.against));
else if (modes.density) {
  const { compareDensities } = await import('./densities.mjs');
  await compareDensities(folder, {
    density: Number(modes.density),
    maxDimensionPx: Number(modes['max-dimension']),
    formats: modes.of.split(','),
  });
} else if (modes['wrong-files']) await (await import('./wrong-files.mjs')).judgeWrongFiles(folder);
else if (modes.efforts) await (await import('./efforts.mjs')).compareEfforts(folder);
else if (modes.uploads) await (await import('./uploads.mjs')).compareUploads(folder);
else if (modes.pipeline) await (await import('./pipeline.mjs')).comparePipeline(folder);
else if (modes.png) await (await import('./png.mjs')).comparePng(folder);
else if (modes.rungs) await (await import('./png-plots.mjs')).drawRungs();
else if (modes.formats)
  await (await import('./formats.mjs')).compareFormats(folder, Number(modes['max-dimension']));
else if (modes.budgets) await (await import('./budgets.mjs')).compareBudgets(folder);
else if (modes.search) await (await import('./search-plots.mjs')).drawSearch(folder);
else if (modes.plot) await (await import('./plot.mjs')).drawPlots(folder);
else await (await import('./photos.mjs')).comparePhotos(folder);
