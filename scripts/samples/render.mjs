/** Renders a scene with all cores: node scripts/samples/render.mjs SCENE WIDTH HEIGHT SAMPLES FILE */
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import sharp from 'sharp';
import { developed, smoothed } from './film.mjs';
import { PathTracer } from './path.mjs';
import { stillLife } from './still-life.mjs';
import { landscape } from './landscape.mjs';

const SCENES = { 'still-life': stillLife, landscape };
/** @returns 8-bit RGB, as sharp reads it */
export async function render(name, width, height, samples) {
  const light = await gather(name, width, height, samples);
  const { camera, look } = await SCENES[name]();
  const data = developed(smoothed(light, width, height, camera, look.passes), width, height, look);
  return { data, raw: { width, height, channels: 3 } };
}

/** @returns what `PathTracer.region` gives, for every row */
async function gather(name, width, height, samples) {
  let row = 0;
  const light = new Float32Array(width * height * 10);
  const threads = availableParallelism();
  await Promise.all(
    Array.from(
      { length: threads },
      () =>
        new Promise((resolve, reject) => {
          const worker = new Worker(fileURLToPath(import.meta.url), {
            workerData: { name, width, height, samples },
          });
          const next = () => {
            if (row === height) void worker.terminate().then(resolve);
            else worker.postMessage(row++);
          };
          worker.on('message', ({ y, pixels }) => {
            if (pixels) light.set(pixels, y * width * 10);
            next();
          });
          worker.on('error', reject);
        }),
    ),
  );
  return light;
}

if (!isMainThread && workerData?.name) {
  const { name, width, height, samples } = workerData;
  const tracer = new PathTracer(await SCENES[name]());
  parentPort.on('message', (y) => {
    const pixels = tracer.region(width, height, 0, y, width, samples);
    parentPort.postMessage({ y, pixels }, [pixels.buffer]);
  });
  parentPort.postMessage({});
} else if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, width, height, samples, file] = process.argv.slice(2);
  const { data, raw } = await render(name, Number(width), Number(height), Number(samples));
  await sharp(data, { raw }).toFile(file);
}
