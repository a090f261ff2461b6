/** npm run bench -- calibrate FOLDER: checks the score's weights on images with known SSIMULACRA2 (scores-*.tsv) */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fitWeights } from './calibration/fit.mjs';
import { measureImages, measureRecoded } from './calibration/measure.mjs';
import { delivered, deviation, quantile, spreadOf } from './calibration/statistics.mjs';
import { folderOf, load, machine } from './support.mjs';

const folder = folderOf(process.argv[2]);
if (!existsSync(join(folder, 'scores-jpegli.tsv'))) {
  console.error(
    'Usage: npm run bench -- calibrate FOLDER (with images/, scores-jpegli.tsv and scores-recoded.tsv)',
  );
  process.exit(2);
}
const { TERMS } = load('compression/domain/score/ssim-score.js');

const { images, measured } = await measureImages(folder);
const halves = [0, 1].map((half) => images.filter((_, i) => i % 2 === half));

console.log(machine());
console.log(
  `${images.length} images, ${measured.length} files; ${measured.filter((row) => row.isSameFile).length} came out with the size that was scored\n`,
);

const weighted = (weights) => (row) => row.losses.reduce((sum, loss, k) => sum + loss * weights[k], 0);
const shipped = weighted(TERMS.map((term) => term.weight));
console.log('                             median 70            median 80                        median 86');
console.log(
  'metric                       sd    worst   5 %    sd    worst   5 %   log BA       sd    worst   5 %    bytes/oracle',
);
for (const half of [0, 1]) {
  const [fitOn, readOn] = [halves[half], halves[1 - half]];
  console.log(`-- read on half ${2 - half} (${readOn.length} images)`);
  report('weights fitted on the other half', spreadOf(readOn, weighted(fitWeights(fitOn))));
  report('shipped weights', spreadOf(readOn, shipped));
  report(
    'mean SSIM, 4:2:0',
    spreadOf(readOn, (row) => row.meanSsim, ['4:2:0']),
  );
  report(
    'one fixed quality, 4:2:0',
    spreadOf(readOn, (row) => 101 - row.quality, ['4:2:0']),
  );
  report(
    'exact search on SSIMULACRA2',
    spreadOf(readOn, (row) => Math.exp((100 - row.ssimulacra2) / 8)),
  );
}
console.log(`-- all ${images.length} images`);
const all = spreadOf(images, shipped);
report('shipped weights', all);

console.log('\nterm                      shipped   fitted on all');
const fitted = fitWeights(images);
TERMS.forEach((term, k) =>
  console.log(
    `${term.name.padEnd(24)} ${term.weight.toFixed(2).padStart(8)} ${fitted[k].toFixed(2).padStart(10)}`,
  ),
);
console.log('\nthe shipped sum where the median SSIMULACRA2 is');
for (const { level, threshold } of all.levels)
  console.log(`  ${level}: ${threshold.toFixed(3)}, score ${(1 - threshold * 0.0086).toFixed(4)}`);

console.log('\nsources that were JPEGs before, judged against them, at the same sum as a median of 80 above');
for (const { sourceQuality, curves } of await measureRecoded(folder)) {
  const scores = curves
    .map((curve) => delivered(curve, shipped, all.levels[2].threshold)?.ssimulacra2)
    .filter((score) => score !== undefined);
  const [middle, fifth] = [0.5, 0.05].map((share) => quantile(scores, share).toFixed(1));
  const [sd, worst] = [deviation(scores).toFixed(2), Math.min(...scores).toFixed(1)];
  console.log(
    `  saved at ${sourceQuality}: ${scores.length} images, median ${middle}, sd ${sd}, 5 % ${fifth}, worst ${worst}`,
  );
}

function report(name, { levels, bytesToOracle }) {
  const [low, , middle, high] = levels;
  const cells = ({ deviation, worst, fifth }) =>
    `${deviation.toFixed(2).padStart(5)} ${worst.toFixed(1).padStart(6)} ${fifth.toFixed(1).padStart(6)}`;
  console.log(
    `${name.padEnd(28).slice(0, 28)} ${cells(low)} ${cells(middle)}  ${middle.butteraugliSpread.toFixed(3)}     ${cells(high)}      ${bytesToOracle.toFixed(3)}`,
  );
}
