/**
 * npm run bench:sandbox [-- FOLDER] [--pairs 9] [--seconds 10]
 *
 * The throughput of the service with WORKER_SANDBOX=required ÷ off. Both services run all the time; a pair sends the same images to
 * one, then to the other, and the next pair begins with the other. Prints the ratio of each pair, of wall time and of processor time,
 * and their medians; judges nothing.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { root } from '../../scripts/prepare.mjs';
import { bodiesOf, sendWith } from './load-generator.mjs';
import { startService } from './service-process.mjs';
import { folderOf, imagesIn, machine, median } from './support.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '10' },
  },
});
const bodies = bodiesOf(imagesIn(folderOf(positionals[0]), /\.(jpe?g|png)$/i));
const workers = availableParallelism();
const off = await startService(workers, { root, WORKER_SANDBOX: 'off' });
const required = await startService(workers, { root, WORKER_SANDBOX: 'required' });

/** Sends a number of images to a service. Returns the seconds that it took, and those of processors. */
async function measure(service, count) {
  let sent = 0;
  const before = processorSeconds(service.pid);
  const { seconds } = await sendWith(service, workers * 2, () =>
    sent < count ? bodies[sent++ % bodies.length] : undefined,
  );
  return { wall: seconds, processors: processorSeconds(service.pid) - before };
}

/** Of a process and all below it that still run. */
function processorSeconds(pid) {
  // Behind the name, which may contain spaces: user and system time, the 14th and 15th field of the line.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1).split(' ');
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
  return children.reduce(
    (sum, child) => sum + processorSeconds(child),
    (Number(fields[11]) + Number(fields[12])) / 100,
  );
}

// Loads the codecs of both, and measures how many images fill the time.
for (const service of [required, off]) await measure(service, bodies.length);
const { wall } = await measure(off, bodies.length);
const count = bodies.length * Math.max(1, Math.round(Number(values.seconds) / wall));
console.log(`${machine()}; ${workers} workers, ${workers * 2} clients, ${count} uploads a step\n`);
console.log('pair | off, images/s | required, images/s | required ÷ off | in images per processor second');
const ratios = { wall: [], processors: [] };
for (let pair = 1; pair <= Number(values.pairs); pair++) {
  const taken = {};
  const order = [
    ['off', off],
    ['required', required],
  ];
  for (const [name, service] of pair % 2 ? order : order.reverse())
    taken[name] = await measure(service, count);
  for (const kind of ['wall', 'processors']) ratios[kind].push(taken.off[kind] / taken.required[kind]);
  const rates = [taken.off, taken.required].map(({ wall: seconds }) => (count / seconds).toFixed(2));
  console.log(
    [pair, ...rates, ...['wall', 'processors'].map((kind) => ratios[kind].at(-1).toFixed(3))].join(' | '),
  );
}
console.log(`\nmedian | | | ${median(ratios.wall).toFixed(3)} | ${median(ratios.processors).toFixed(3)}`);
await Promise.all([off.stop(), required.stop()]);
