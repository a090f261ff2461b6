/** npm run bench -- densities FOLDER --density 2 [--max-dimension PX] [--of jpeg,avif]: against density 1 */
import sharp from 'sharp';
import { compressImage, imagesIn, load, machine, median, nativeEngine, policy } from './support.mjs';

const { asSeen, seenSize } = load('compression/domain/score/as-seen.js');
const { alphaOver } = load('compression/domain/pixels.js');
const { ssimulacra2Distance, ssimulacra2Of } = load('compression/domain/score/ssimulacra2.js');

export async function run(folder, { density, maxDimensionPx, formats }) {
  console.log(`${machine()}, density ${density}, max_dimension=${maxDimensionPx}\n`);
  const engine = nativeEngine();
  const rows = [];
  for (const [index, { name, bytes }] of imagesIn(folder, /\.(jpe?g|png)$/i).entries()) {
    let first;
    for (const format of formats) {
      const run = (at) =>
        timed(() =>
          compressImage(bytes, engine, {
            ...policy,
            maxDimensionPx,
            density: at,
            ...(format === 'same' ? {} : { formats: [format] }),
          }),
        );
      try {
        const [single, dense] = [await run(1), await run(density)];
        const { report } = dense.result;
        first ??= single.result.bytes.length;
        const row = {
          half: index % 2 === 0 ? 'tune' : 'test',
          format: report.format,
          ratio: dense.result.bytes.length / single.result.bytes.length,
          toFirst: dense.result.bytes.length / first,
          score: await seenScore(bytes, dense.result.bytes, report.dimensions, report.density ?? 1),
          time: dense.cpu / single.cpu,
        };
        rows.push(row);
        console.log(
          `${name.slice(-34).padEnd(34)} ${row.format.padEnd(4)} ${String(single.result.bytes.length).padStart(9)} x ${row.ratio.toFixed(3)}  q ${single.result.report.quality ?? '-'} -> ${report.quality ?? '-'}  ${row.score.toFixed(1)}  encodes ${report.encodes}, time x ${row.time.toFixed(2)} (${(dense.cpu / 1e6).toFixed(1)} s)`,
        );
      } catch (error) {
        console.log(`${name} ${format}: ${error.message}`);
      }
    }
  }
  for (const format of new Set(rows.map((row) => row.format)))
    for (const half of ['tune', 'test'])
      summarise(
        `${format}, ${half}`,
        rows.filter((row) => row.format === format && row.half === half),
      );
}

function summarise(title, rows) {
  if (rows.length === 0) return;
  const scores = rows.map(({ score }) => score);
  const average = scores.reduce((a, b) => a + b, 0) / rows.length;
  const sd = Math.sqrt(scores.reduce((sum, score) => sum + (score - average) ** 2, 0) / rows.length);
  const mean = (of) => Math.exp(rows.reduce((sum, row) => sum + Math.log(row[of]), 0) / rows.length);
  console.log(
    `${title}: ${rows.length} images, bytes x ${mean('ratio').toFixed(3)}, x ${mean('toFirst').toFixed(3)} of the first format; SSIMULACRA2 as seen: median ${median(scores).toFixed(1)}, sd ${sd.toFixed(2)}, least ${Math.min(...scores).toFixed(1)}; time x ${median(rows.map(({ time }) => time)).toFixed(2)}`,
  );
}

async function timed(work) {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return { result, cpu: user + system };
}

/** The lower of the scores over white and black, if there is transparency. */
async function seenScore(upload, result, dimensions, density) {
  const [a, b] = [await pixelsOf(upload, dimensions), await pixelsOf(result, dimensions)];
  const scores = [255, 0].map((ground) => {
    const [original, shown] = [a, b].map((pixels) =>
      asSeen(alphaOver(ground, pixels), seenSize(pixels, density)),
    );
    return ssimulacra2Of(ssimulacra2Distance(original, shown));
  });
  return Math.min(...scores);
}

async function pixelsOf(bytes, { width, height }) {
  const { data } = await sharp(bytes, { ignoreIcc: true, limitInputPixels: false })
    .autoOrient()
    .resize(width, height, { fit: 'fill' })
    .ensureAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width, height, channels: 4, data };
}
