/**
 * Draws the search for docs/how-it-works.md into docs/plots: the mosaic of a photo, and the trial encodes. Both are
 * measured when drawn.
 */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { root } from '../../scripts/prepare.mjs';
import { linePlot, saveDrawing } from './line-plot.mjs';
import { compressImage, imagesIn, load, nativeEngine, policy } from './support.mjs';

const { MosaicReference } = load('compression/domain/search/mosaic-score.js');
const engine = nativeEngine();
const encode = engine.jpeg.encode.bind(engine.jpeg);
const allowed = 1 - policy.targetScore;
const QUALITIES = Array.from({ length: 36 }, (_, i) => 60 + i);

export async function drawSearch(folder) {
  const [{ name, bytes }] = imagesIn(folder, /\.jpe?g$/i);
  const { trials, wholes } = await recordedSearch(bytes);
  const out = (file) => join(root, 'docs', 'plots', file);
  writeFileSync(out('mosaic.webp'), await besides(wholes[0].pixels, trials[0].pixels));
  await saveDrawing(out('search'), await searchPlot(basename(name), trials, wholes));
  console.log(`drawn into ${out('')}`);
}

/** The encodes that the recipe made: of the mosaic on the block grid of the upload, and of the whole image. */
async function recordedSearch(bytes) {
  const asked = [];
  engine.jpeg.encode = (pixels, options) => {
    asked.push({ pixels, ...options });
    return encode(pixels, options);
  };
  await compressImage(bytes, engine, policy);
  engine.jpeg.encode = encode;
  const wholes = asked.filter(({ purpose }) => purpose === 'delivery');
  const { pixels } = asked.filter(({ purpose }) => purpose === 'trial').at(-1);
  const trials = asked.filter((one) => one.pixels === pixels && one.chroma === wholes[0].chroma);
  return { trials, wholes };
}

/** Loss of an image encoded at a quality, relative to the allowed loss. */
function lossesOf(pixels, tile, chroma) {
  const reference = new MosaicReference({ pixels, tile, share: 1 });
  return async (quality) => {
    const coded = await encode(pixels, { quality, chroma, purpose: 'trial' });
    return (1 - reference.score(await engine.jpeg.decode(coded, { orientation: 1 })).score) / allowed;
  };
}

async function pointsAt(qualities, lossAt) {
  const points = [];
  for (const quality of qualities) points.push([quality, await lossAt(quality)]);
  return points;
}

async function searchPlot(name, trials, wholes) {
  const [{ pixels: mosaic, chroma }] = trials;
  const [{ pixels: image }] = wholes;
  const lossOfMosaic = lossesOf(mosaic, { width: 64, height: 64 }, chroma);
  const lossOfImage = lossesOf(image, image, chroma);
  const qualitiesOf = (encodes) => encodes.map(({ quality }) => quality);
  return linePlot({
    title: `Encodes in the search on ${name}: ${trials.length} of its mosaic, then ${wholes.length} of the image`,
    x: { label: 'quality' },
    y: { label: 'loss ÷ what the target allows' },
    level: 1,
    legend: 'right',
    series: [
      { name: 'the mosaic, at all qualities', points: await pointsAt(QUALITIES, lossOfMosaic) },
      { name: 'the whole image, at all qualities', points: await pointsAt(QUALITIES, lossOfImage) },
      {
        name: 'trial encodes of the mosaic',
        isMarks: true,
        points: await pointsAt(qualitiesOf(trials), lossOfMosaic),
      },
      {
        name: 'encoded whole and scored',
        isMarks: true,
        points: await pointsAt(qualitiesOf(wholes), lossOfImage),
      },
    ],
  });
}

/** Photo and mosaic at one scale, side by side. */
async function besides(image, mosaic) {
  const opened = ({ data, width, height, channels }) => sharp(data, { raw: { width, height, channels } });
  const gap = 32;
  const right = await opened(mosaic).png().toBuffer();
  return opened(image)
    .extend({ right: gap + mosaic.width, background: '#fff' })
    .composite([{ input: right, left: image.width + gap, top: 0 }])
    .flatten({ background: '#fff' })
    .resize(1200)
    .webp({ quality: 80 })
    .toBuffer();
}
