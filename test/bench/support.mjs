import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { prepare, root } from '../../scripts/prepare.mjs';

await prepare('tests');
export const load = (path) => createRequire(import.meta.url)(join(root, 'dist', path));
export const { compressImage } = load('compression/application/recipe.js');
export const { policy } = load('settings/settings.js').readSettings({}).compression;
export const nativeEngine = () =>
  load('compression/infrastructure/codecs/native/native-engine.js').createNativeEngine();

/** Resolves a path against the user's folder; the sample of the repository by default. */
export const folderOf = (typed) =>
  typed ? resolve(process.env.INIT_CWD ?? process.cwd(), typed) : join(root, 'examples');

export function imagesIn(folder, pattern) {
  return readdirSync(folder)
    .filter((file) => pattern.test(file))
    .map((name) => ({ name, bytes: readFileSync(join(folder, name)) }));
}

export const machine = () => `machine ${cpus().length} x ${cpus()[0].model.trim()}, Node ${process.version}`;

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

export const sum = (items, value) => items.reduce((total, item) => total + value(item), 0);

/** Returns a row of a table. @param widths of its cells; negative ones are cut at the right and begin at the left */
export const rowOf = (widths, cells) =>
  cells
    .map((cell, i) =>
      widths[i] < 0 ? cell.slice(0, -widths[i]).padEnd(-widths[i]) : String(cell).padStart(widths[i]),
    )
    .join(' ');

/** The pixels of an image of sharp. */
export async function pixelsOf(image) {
  const { data, info } = await image.toColourspace('srgb').raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: info.channels, data };
}

/** Returns the lowest quality that is good enough; `most` if no other one is. @param isGood is asked for those between `least` and `most` */
export async function lowestQuality(least, most, isGood) {
  let [low, high] = [least, most];
  while (high - low > 1) {
    const quality = (low + high) >> 1;
    if (await isGood(quality)) high = quality;
    else low = quality;
  }
  return high;
}

/** Milliseconds on the clock, and of the processor. */
export async function cost(work) {
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  const result = await work();
  const { user, system } = process.cpuUsage(cpu);
  return { result, ms: performance.now() - start, cpuMs: (user + system) / 1000 };
}

export const medianCost = (costs) => ({
  ms: median(costs.map(({ ms }) => ms)),
  cpuMs: median(costs.map(({ cpuMs }) => cpuMs)),
});
