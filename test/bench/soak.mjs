/** A steady load for minutes: does memory grow, are handles left open? */
import sharp from 'sharp';
import { bodiesOf, sendWith } from './load-generator.mjs';
import { slopeOf } from './least-squares.mjs';
import { startService, usage } from './service-process.mjs';

const SAMPLE_MS = 10_000;
/**
 * Caches fill, codecs are loaded, and V8's heap grows during the first thousands of requests, which must not count as a
 * leak. Small images make many requests per minute.
 */
const WARM_UP_REQUESTS = 3_000;
const WARM_UP_PX = 160;
/** The same for the effects of large images. */
const WARM_UP_SHARE = 0.25;
/** 95 % of a normal distribution. */
const STANDARD_ERRORS = 2;

export async function soak(images, workers, minutes) {
  const bodies = bodiesOf(images);
  const service = await startService(workers);
  const small = bodiesOf([{ name: 'small.jpg', bytes: await scaledDown(images[0].bytes) }])[0];
  let warmUps = 0;
  await sendWith(service, workers * 4, () => (warmUps++ < WARM_UP_REQUESTS ? small : undefined));
  console.log(`after ${WARM_UP_REQUESTS} small images:`);
  const samples = [];
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 60_000;
  console.log('minute   service MiB   workers MiB   files of the service   of workers');
  const sampling = setInterval(() => {
    const now = usage(service.pid);
    samples.push({ minute: elapsed(), ...now });
    const cells = [now.service, now.workers, now.serviceFiles, now.workerFiles].map((value) =>
      value.toFixed(0),
    );
    const widths = [14, 14, 23, 13];
    console.log(elapsed().toFixed(1).padStart(6) + cells.map((cell, i) => cell.padStart(widths[i])).join(''));
  }, SAMPLE_MS);
  let sent = 0;
  const { latencies, refusals } = await sendWith(service, workers * 2, () =>
    elapsed() < minutes ? bodies[sent++ % bodies.length] : undefined,
  );
  clearInterval(sampling);
  await service.stop();
  console.log(`\n${latencies.length} images in ${minutes} minutes, refused: ${JSON.stringify(refusals)}`);
  const warm = samples.filter(({ minute }) => minute >= minutes * WARM_UP_SHARE);
  if (warm.length < 3) {
    console.log(`Only ${warm.length} samples after the warm-up: too few to say anything. Soak for longer.`);
    return;
  }
  console.log(`after a warm-up of ${(minutes * WARM_UP_SHARE).toFixed(1)} minutes, ${warm.length} samples:`);
  const series = { service: 'MiB', workers: 'MiB', serviceFiles: 'files', workerFiles: 'files' };
  for (const [name, unit] of Object.entries(series)) {
    const { slope, standardError } = slopeOf(warm.map((sample) => [sample.minute, sample[name]]));
    const isNoise = Math.abs(slope) <= STANDARD_ERRORS * standardError;
    const verdict = isNoise ? 'within noise' : slope > 0 ? 'GROWS' : 'falls';
    console.log(
      `  ${name.padEnd(13)} ${slope.toFixed(3).padStart(8)} ± ${standardError.toFixed(3)} ${unit} a minute: ${verdict}`,
    );
  }
}

const scaledDown = (bytes) => sharp(bytes).resize(WARM_UP_PX).jpeg({ quality: 95 }).toBuffer();
