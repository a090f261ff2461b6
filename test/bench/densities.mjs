/** npm run bench -- densities FOLDER --density 2 [--max-dimension PX] [--of jpeg,avif]: against density 1 */
import sharp from 'sharp';
import { deviation } from './calibration/statistics.mjs';
import {
  compressImage,
  cost,
  imagesIn,
  load,
  machine,
  median,
  nativeEngine,
  pixelsOf,
  policy,
  sum,
} from './support.mjs';

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
        cost(() =>
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
          time: dense.cpuMs / single.cpuMs,
        };
        rows.push(row);
        console.log(
          `${name.slice(-34).padEnd(34)} ${row.format.padEnd(4)} ${String(single.result.bytes.length).padStart(9)} x ${row.ratio.toFixed(3)}  q ${single.result.report.quality ?? '-'} -> ${report.quality ?? '-'}  ${row.score.toFixed(1)}  encodes ${report.encodes}, time x ${row.time.toFixed(2)} (${(dense.cpuMs / 1000).toFixed(1)} s)`,
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
  const mean = (of) => Math.exp(sum(rows, (row) => Math.log(row[of])) / rows.length);
  console.log(
    `${title}: ${rows.length} images, bytes x ${mean('ratio').toFixed(3)}, x ${mean('toFirst').toFixed(3)} of the first format; SSIMULACRA2 as seen: median ${median(scores).toFixed(1)}, sd ${deviation(scores).toFixed(2)}, least ${Math.min(...scores).toFixed(1)}; time x ${median(rows.map(({ time }) => time)).toFixed(2)}`,
  );
}

/** The lower of the scores over white and black, if there is transparency. */
async function seenScore(upload, result, dimensions, density) {
  const [a, b] = [await decoded(upload, dimensions), await decoded(result, dimensions)];
  const scores = [255, 0].map((ground) => {
    const [original, shown] = [a, b].map((pixels) =>
      asSeen(alphaOver(ground, pixels), seenSize(pixels, density)),
    );
    return ssimulacra2Of(ssimulacra2Distance(original, shown));
  });
  return Math.min(...scores);
}

function decoded(bytes, { width, height }) {
  const image = sharp(bytes, { ignoreIcc: true, limitInputPixels: false }).autoOrient();
  return pixelsOf(image.resize(width, height, { fit: 'fill' }).ensureAlpha());
}
