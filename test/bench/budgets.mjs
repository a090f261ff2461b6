/**
 * Photos against max_bytes of 50, 100 and 200 kB: whether the budget was met, the score, the quality and the longer side
 * of the result, as the table of docs/options.md. Up to 20 photos are made of those in a folder: a copy of each with a
 * longer side of 2048 px, and then its middle, 1024 × 1024 px, both saved as JPG at quality 92.
 */
import sharp from 'sharp';
import { compressImage, imagesIn, median, nativeEngine, policy, time } from './support.mjs';

const BUDGETS = [50_000, 100_000, 200_000];
const PHOTOS = 20;
const COPY = 2048;
const CROP = 1024;

export async function compareBudgets(folder) {
  const engine = nativeEngine();
  const rows = [];
  const times = { usual: [], budget: [] };
  for (const { name, bytes } of (await photosOf(folder)).slice(0, PHOTOS)) {
    let usual;
    times.usual.push(await time(async () => (usual = await compressImage(bytes, engine, policy))));
    const cells = [
      name,
      kilobytes(bytes.length),
      `${kilobytes(usual.bytes.length)}, ${qualityOf(usual.report)}`,
    ];
    for (const maxBytes of BUDGETS) {
      const budget = { maxBytes, allowsAny: false };
      const ms = await time(async () => cells.push(await cellOf(bytes, engine, budget)));
      times.budget.push(ms);
    }
    rows.push(cells);
  }
  console.log(`\n${markdown(rows)}\n`);
  console.log(
    `median time: ${median(times.usual).toFixed(0)} ms without a budget, ${median(times.budget).toFixed(0)} ms with one`,
  );
}

async function cellOf(bytes, engine, budget) {
  try {
    const { report, bytes: result } = await compressImage(bytes, engine, { ...policy, budget });
    if (result.length > budget.maxBytes) throw new Error(`${result.length} bytes are over the budget`);
    const { width, height } = report.dimensions;
    const longer = Math.max(width, height);
    const isScaled = longer < Math.max(report.originalDimensions.width, report.originalDimensions.height);
    return `${kilobytes(result.length)}, ${qualityOf(report)}${isScaled ? `, ${longer} px` : ''}`;
  } catch (error) {
    if (error.code !== 'budget_unreachable') throw error;
    return `refused: ${kilobytes(error.numbers.actual)}`;
  }
}

async function photosOf(folder) {
  const copies = [];
  const crops = [];
  for (const { name, bytes } of imagesIn(folder, /\.(jpe?g|png)$/i)) {
    const upright = await sharp(
      await sharp(bytes).autoOrient().toColourspace('srgb').removeAlpha().toBuffer(),
    );
    const { width, height } = await upright.metadata();
    const save = (image) => image.jpeg({ quality: 92 }).toBuffer();
    const label = name.replace(/\.\w+$/, '');
    const copy = upright
      .clone()
      .resize({ width: COPY, height: COPY, fit: 'inside', withoutEnlargement: true });
    copies.push({ name: `${label}, copy`, bytes: await save(copy) });
    const size = { width: Math.min(CROP, width), height: Math.min(CROP, height) };
    const place = { left: (width - size.width) >> 1, top: (height - size.height) >> 1 };
    crops.push({ name: `${label}, crop`, bytes: await save(upright.clone().extract({ ...place, ...size })) });
  }
  return [...copies, ...crops];
}

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const qualityOf = ({ skipReason, quality, score }) =>
  skipReason ? 'unchanged' : `q ${quality}, ${score.toFixed(4)}`;

function markdown(rows) {
  const head = ['Photo', 'Upload', 'Usual result', ...BUDGETS.map((bytes) => `${bytes / 1000} kB`)];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
