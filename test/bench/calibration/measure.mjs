/** Reads a folder of calibration images (images/ and tables of scores) and measures every file in it, on all cores. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { root } from '../../../scripts/prepare.mjs';
import { CHROMA_MODES } from './statistics.mjs';

/** @returns images: for each its curves by chroma mode, rows by rising quality; measured: all rows. */
export async function measureImages(folder) {
  const { names, measured, curve } = await measureTable(folder, 'scores-jpegli.tsv', 'chroma');
  const images = names.map((name) =>
    Object.fromEntries(CHROMA_MODES.map((mode) => [mode, curve(name, mode)])),
  );
  return { images, measured };
}

/** @returns for each image and source quality its rows by rising quality */
export async function measureRecoded(folder) {
  const { names, rows, curve } = await measureTable(folder, 'scores-recoded.tsv', 'sourceQuality');
  const qualities = [...new Set(rows.map((row) => row.sourceQuality))].sort((a, b) => a - b);
  return qualities.map((sourceQuality) => ({
    sourceQuality,
    curves: names.map((name) => curve(name, sourceQuality)),
  }));
}

/** @param column whose values tell the curves of an image apart */
async function measureTable(folder, table, column) {
  const rows = readRows(folder, table);
  const names = [...new Set(rows.map((row) => row.image))].sort();
  const measured = await onAllCores(folder, names, rows);
  const curve = (image, value) =>
    measured
      .filter((row) => row.image === image && row[column] === value)
      .sort((a, b) => a.quality - b.quality);
  return { names, rows, measured, curve };
}

function readRows(folder, table) {
  const [header, ...lines] = readFileSync(join(folder, table), 'utf8').trim().split('\n');
  const columns = header.split('\t');
  return lines.map((line) => {
    const cells = Object.fromEntries(line.split('\t').map((cell, i) => [columns[i], cell]));
    return {
      image: cells.image,
      chroma: cells.chroma,
      ...(cells.source_quality ? { sourceQuality: Number(cells.source_quality) } : {}),
      quality: Number(cells.quality),
      bytes: Number(cells.bytes),
      ssimulacra2: Number(cells.ssimulacra2),
      butteraugli: Number(cells.butteraugli3),
    };
  });
}

async function onAllCores(folder, names, rows) {
  const threads = availableParallelism();
  const results = [];
  await Promise.all(
    Array.from({ length: threads }, (_, thread) => {
      const mine = names.filter((_, i) => i % threads === thread);
      const work = mine.map((image) => ({ image, rows: rows.filter((row) => row.image === image) }));
      const worker = new Worker(new URL('./measure-worker.mjs', import.meta.url), {
        workerData: { folder, dist: join(root, 'dist'), images: work },
      });
      worker.on('message', (row) => results.push(row));
      return new Promise((done, failed) => worker.once('exit', done).once('error', failed));
    }),
  );
  return results;
}
