/** Measures the memory and the curve that the manifest of a format states, with the names of the manifest. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { uploadMemory } from '../../src/contract/formats';
import { MEBIBYTE } from '../../src/contract/units';
import type { LossyCoding, ResultFormat } from '../../src/compression/application/result-format.port';
import { ScoreReference } from '../../src/compression/domain/score/ssim-score';
import { photoPixels, texturedPixels } from '../support/images';
import { codingsOf, factsOf } from './format-checks';

const [SMALL, LARGE] = [
  { width: 640, height: 480 },
  { width: 2000, height: 1500 },
];

/** Returns the growth of this process from a small to a large image, and the rest. Call it first of all. */
export async function measureMemory(format: ResultFormat) {
  const start = peakBytes();
  const peaks: number[] = [];
  for (const { width, height } of [SMALL, LARGE]) {
    const image = texturedPixels(width, height);
    for (const { encode } of codingsOf(format)) await format.decode(await encode(image), image);
    peaks.push(peakBytes());
  }
  const [small, large] = [SMALL, LARGE].map(({ width, height }) => width * height);
  const bytesPerPixel = (peaks[1] - peaks[0]) / (large - small);
  const base = Math.max(0, peaks[0] - start - small * bytesPerPixel);
  return {
    bytesPerPixel: Math.ceil((bytesPerPixel + uploadMemory('jpeg').bytesPerPixel.opaque) / 5) * 5,
    baseMegabytes: Math.ceil(base / MEBIBYTE / 10) * 10,
  };
}

/** Returns the memory of this process; from here on, peakBytes() tells what comes on top. */
export function bytesNow() {
  if (existsSync('/proc/self/clear_refs')) writeFileSync('/proc/self/clear_refs', '5');
  return peakBytes();
}

/** Linux also counts the parent of a process in `maxRSS`. */
export function peakBytes() {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'latin1') : '';
  const kibibytes = /^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kibibytes) * 1024;
}

const POINTS = 9;

/** Returns the geometric means of loss over images made in code; photos of your own give a better curve. */
export async function measureCurve(format: ResultFormat, coding: LossyCoding) {
  const images = [texturedPixels(448, 320, 3), texturedPixels(448, 320, 8), photoPixels(448, 320)];
  const references = images.map((image) => new ScoreReference(image));
  const { lowest, highest } = coding.range(1);
  const points: { quality: number; loss: number; size: number }[] = [];
  for (let i = 0; i < POINTS; i++) {
    const quality = Math.round(lowest + (i / (POINTS - 1)) * (highest - lowest));
    const logs = [0, 0];
    for (const [j, image] of images.entries()) {
      const options = { quality, purpose: 'delivery', image: factsOf(image), metadata: {} } as const;
      const file = await coding.encode(image, options);
      const decoded = await format.decode(file, image);
      logs[0] += Math.log(Math.max(1e-6, 1 - references[j].score(decoded))) / images.length;
      logs[1] += Math.log(file.length) / images.length;
    }
    const [loss, size] = logs.map(Math.exp);
    // The manifest wants falling losses.
    if (points.every((point) => loss < point.loss)) points.push({ quality, loss, size });
  }
  const [first, last] = [points[0], points[points.length - 1]];
  return {
    curve: points.map(({ quality, loss }) => [quality, Number(loss.toPrecision(3))] as const),
    sizeSlope: Number((Math.log(last.size / first.size) / Math.log(last.loss / first.loss)).toFixed(2)),
  };
}
