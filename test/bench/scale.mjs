/**
 * npm run bench:scale                     simulates fleets with the service times of test/bench/scale/service-times.json
 * npm run bench:scale -- FOLDER           first measures this machine with the images of the folder: what one of them costs in
 *                                         each part, and how closely the simulation reproduces the load; then simulates with them
 * npm run bench:scale -- FOLDER --seconds 60    longer steps (20 by default)
 *
 * Measuring needs PostgreSQL and Redis (TEST_POSTGRES_URL, TEST_REDIS_URL, or the local ones). Processor times are little
 * disturbed by other load; the comparison with the simulation needs an idle machine. docs/scaling.md has the results.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compareFleets } from './scale/fleets.mjs';
import { mixSlowImages } from './scale/slow-images.mjs';
import { folderOf, imagesIn, machine } from './support.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '20' } },
});
const stored = new URL('./scale/service-times.json', import.meta.url);
let measured = JSON.parse(readFileSync(stored, 'utf8')).serviceMs.map((ms) => ({ serviceMs: ms }));
if (positionals.length > 0) {
  const { measureMachine } = await import('./scale/one-machine.mjs');
  console.log(machine());
  measured = await measureMachine(
    imagesIn(folderOf(positionals[0]), /\.(jpe?g|png)$/i),
    Number(values.seconds),
  );
}
compareFleets(measured);
mixSlowImages(measured);
