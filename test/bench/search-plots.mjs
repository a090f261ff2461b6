/**
 * Pictures of the search for docs/how-it-works.md, into docs/plots: what the mosaic of a photo is, how the search went
 * on it, and what a file shows of its own past along its blocks and across them. All of it is measured when drawn.
 */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import sharp from 'sharp';
import { root } from '../../scripts/prepare.mjs';
import { linePlot, saveDrawing } from './line-plot.mjs';
import { compressImage, imagesIn, load, nativeEngine, policy } from './support.mjs';

const { sampleMosaic } = load('compression/domain/search/sample-mosaic.js');
const { SampleReference } = load('compression/domain/search/sample-score.js');
const engine = nativeEngine();
const encode = engine.jpeg.encode.bind(engine.jpeg);
const allowed = 1 - policy.targetScore;
const QUALITIES = Array.from({ length: 36 }, (_, i) => 60 + i);
/** Saved at this quality, a picture without a past shows what a second coding sees. */
const SAVED_AT = 83;
/** Half a block from its grid. */
const ACROSS = { left: 4, top: 4 };

export async function drawSearch(folder) {
  const [{ name, bytes }] = imagesIn(folder, /\.jpe?g$/i);
  const picture = await smaller(bytes);
  const file = await encode(picture, { quality: 100, chroma: '4:4:4', purpose: 'search' });
  const search = await recordedSearch(file);
  const out = (file) => join(root, 'docs', 'plots', file);
  writeFileSync(out('mosaic.webp'), await besides(picture, search.looks[0].pixels));
  await saveDrawing(out('search'), await searchPlot(basename(name), search));
  await saveDrawing(out('second-generation'), await secondGenerationPlot(picture));
  console.log(`drawn into ${out('')}`);
}

/** At three quarters of its size no photo has blocks of its own, or a past that the search would have to heed. */
async function smaller(bytes) {
  const { width } = await sharp(bytes).metadata();
  const { data, info } = await sharp(bytes)
    .resize(Math.round(width * 0.75))
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, channels: info.channels, data };
}

/** What the recipe asked the encoder for: of the mosaic, and of the whole picture. */
async function recordedSearch(bytes) {
  const asked = [];
  engine.jpeg.encode = (pixels, options) => {
    asked.push({ pixels, ...options });
    return encode(pixels, options);
  };
  await compressImage(bytes, engine, policy);
  engine.jpeg.encode = encode;
  const wholes = asked.filter(({ purpose }) => purpose === 'delivery');
  const { chroma } = wholes[0];
  const sampled = (wanted) => asked.filter((look) => look.purpose === wanted && look.chroma === chroma);
  return { wholes, drafts: sampled('draft'), looks: sampled('search') };
}

/** Loss of a sample when it is coded at a quality, as a share of what the target allows. */
function lossesOf(sample, chroma, purpose = 'search') {
  const reference = new SampleReference({ ...sample, share: 1 });
  const { pixels } = sample;
  return async (quality) => {
    const coded = await encode(pixels, { quality, chroma, purpose });
    return (1 - reference.score(await engine.jpeg.decode(coded, { orientation: 1 })).score) / allowed;
  };
}

async function pointsAt(qualities, lossAt) {
  const points = [];
  for (const quality of qualities) points.push([quality, await lossAt(quality)]);
  return points;
}

async function searchPlot(name, { drafts, looks, wholes }) {
  const [{ pixels: mosaic, chroma }] = looks;
  const [{ pixels: picture }] = wholes;
  const tiles = { pixels: mosaic, tile: { width: 64, height: 64 } };
  const [lossOfMosaic, lossOfDrafts] = [lossesOf(tiles, chroma), lossesOf(tiles, chroma, 'draft')];
  const lossOfPicture = lossesOf({ pixels: picture, tile: picture }, chroma);
  const found = wholes.map(({ quality }) => quality);
  return linePlot({
    title: `The search on ${name}: ${counted(drafts, 'draft')} and ${counted(looks, 'look')} at its mosaic, then ${counted(found, 'whole encode')}`,
    x: { label: 'quality' },
    y: { label: 'loss ÷ what the target allows' },
    level: 1,
    legend: 'right',
    series: [
      { name: 'the mosaic, at all qualities', points: await pointsAt(QUALITIES, lossOfMosaic) },
      { name: 'the whole picture, at all qualities', points: await pointsAt(QUALITIES, lossOfPicture) },
      {
        name: 'its drafts, without trellis',
        isMarks: true,
        points: await pointsAt(
          drafts.map(({ quality }) => quality),
          lossOfDrafts,
        ),
      },
      {
        name: 'its looks, as for delivery',
        isMarks: true,
        points: await pointsAt(
          looks.map(({ quality }) => quality),
          lossOfMosaic,
        ),
      },
      {
        name: 'encoded whole, scored, delivered',
        isMarks: true,
        points: await pointsAt(found, lossOfPicture),
      },
    ],
  });
}

function counted(things, name) {
  return `${things.length} ${name}${things.length === 1 ? '' : 's'}`;
}

/** Saved once, then coded once more at all qualities. */
async function secondGenerationPlot(original) {
  const saved = await encode(original, { quality: SAVED_AT, chroma: '4:2:0', purpose: 'delivery' });
  const reopened = await engine.jpeg.decode(saved, { orientation: 1 });
  const curve = (pixels, from) => pointsAt(QUALITIES, lossesOf(sampleMosaic(pixels, from), '4:2:0'));
  return linePlot({
    title: `Coding a picture once more that was saved at quality ${SAVED_AT}`,
    x: { label: 'quality' },
    y: { label: 'loss ÷ what the target allows' },
    level: 1,
    legend: 'right',
    series: [
      { name: 'the file, along its blocks', points: await curve(reopened) },
      { name: 'the file, across its blocks', points: await curve(reopened, ACROSS) },
      { name: 'the original', points: await curve(original, ACROSS) },
    ],
  });
}

/** Photo and mosaic at one scale, side by side. */
async function besides(picture, mosaic) {
  const opened = ({ data, width, height, channels }) => sharp(data, { raw: { width, height, channels } });
  const gap = 32;
  const right = await opened(mosaic).png().toBuffer();
  return opened(picture)
    .extend({ right: gap + mosaic.width, background: '#fff' })
    .composite([{ input: right, left: picture.width + gap, top: 0 }])
    .resize(1200)
    .webp({ quality: 80 })
    .toBuffer();
}
