/** Time and bytes of every EFFORT over the same files, against balanced. */
import { compressImage, imagesIn, median, nativeEngine, policy, time } from './support.mjs';

const RUNS = 3;

export async function compareEfforts(folder) {
  const engine = nativeEngine();
  const images = imagesIn(folder, /\.(jpe?g|png)$/i);
  console.log(`${images.length} images, median of ${RUNS} runs each, in turn\n`);
  const efforts = ['fast', 'balanced', 'max'];
  const totals = Object.fromEntries(efforts.map((effort) => [effort, { ms: 0, bytes: 0 }]));
  for (const { bytes } of images) {
    const times = Object.fromEntries(efforts.map((effort) => [effort, []]));
    for (let run = 0; run < RUNS; run++) {
      for (const effort of efforts) {
        const work = async () => {
          const { report } = await compressImage(bytes, engine, { ...policy, effort });
          if (run === 0) totals[effort].bytes += report.compressedSize;
        };
        times[effort].push(await time(work));
      }
    }
    for (const effort of efforts) totals[effort].ms += median(times[effort]);
  }
  console.log('EFFORT        time     bytes');
  for (const effort of efforts) {
    const share = (key) => ((totals[effort][key] / totals.balanced[key]) * 100).toFixed(1).padStart(6);
    console.log(`${effort.padEnd(10)} ${share('ms')} %  ${share('bytes')} %`);
  }
}
