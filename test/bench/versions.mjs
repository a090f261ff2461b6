/** Two versions on the same images, in turn, in processes with a worker's flags: ratios of time, CPU time and bytes. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { medianCost, rowOf, sum } from './support.mjs';
import { root } from '../../scripts/prepare.mjs';

const MIN_RUNS = 5;
const MAX_RUNS = 15;
/** A small image runs until its runs of one version have taken this long. */
const ENOUGH_MS = 2_000;

export async function run(folder, { against: other }) {
  if (!existsSync(join(other, 'dist')))
    throw new Error(`${other} is not built: run npm run build there first.`);
  const versions = await Promise.all([root, other].map(startVersion));
  const names = readdirSync(folder).filter((name) => /\.(jpe?g|png)$/i.test(name));
  console.log(`this checkout ÷ ${other}; ${names.length} images of ${folder}`);
  console.log(`medians of ${MIN_RUNS} to ${MAX_RUNS} runs each, in turn, after one that is not counted\n`);
  console.log('image                              ms     other   time    CPU  bytes');
  const all = [];
  for (const name of names) {
    const pair = await runInTurn(versions, join(folder, name));
    if (pair.some(({ refused }) => refused)) {
      console.log(
        `${name.slice(0, 30).padEnd(30)} refused: ${pair.map(({ refused }) => refused ?? 'no').join(', ')}`,
      );
      continue;
    }
    all.push(pair);
    const isSame = pair[0].digest === pair[1].digest;
    console.log(row(name, [pair]) + (isSame ? '' : '  other bytes'));
  }
  if (all.length > 0) console.log(row('in total', all));
  for (const { process } of versions) process.disconnect();
}

async function startVersion(checkout) {
  const child = fork(fileURLToPath(new URL('one-version.mjs', import.meta.url)), [checkout], {
    execArgv: ['--initial-old-space-size=64'],
    env: { ...process.env, MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '2' },
  });
  await once(child, 'message');
  const run = async (path) => {
    child.send(path);
    return (await once(child, 'message'))[0];
  };
  return { process: child, run };
}

async function runInTurn(versions, path) {
  const runs = versions.map(() => []);
  for (const { run } of versions) await run(path);
  const isEnough = () => runs[0].length >= MIN_RUNS && sum(runs[0], ({ ms }) => ms) >= ENOUGH_MS;
  for (let turn = 0; turn < MAX_RUNS && !isEnough(); turn++) {
    for (const side of turn % 2 === 0 ? [0, 1] : [1, 0]) runs[side].push(await versions[side].run(path));
  }
  return runs.map((costs) => ({ ...costs[0], ...medianCost(costs) }));
}

function row(name, pairs) {
  const total = (side, value) => sum(pairs, (pair) => pair[side][value]);
  const ratio = (value) => (total(0, value) / total(1, value)).toFixed(value === 'size' ? 4 : 3);
  const times = [0, 1].map((side) => total(side, 'ms').toFixed(0));
  return rowOf([-30, 8, 8, 6, 6, 6], [name, ...times, ratio('ms'), ratio('cpuMs'), ratio('size')]);
}
