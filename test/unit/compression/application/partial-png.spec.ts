/** Near its deadline, a PNG is delivered as the best result that was verified so far. */
import { compressSource } from '../../../../src/compression/application/compress-image';
import { Stopwatch, TimeLimit } from '../../../../src/compression/application/work';
import type { CompressionPolicy } from '../../../../src/compression/domain/compression-policy';
import { FidelityGuard } from '../../../../src/compression/domain/fidelity-guard';
import { readSource } from '../../../../src/compression/formats/image-header';
import { readChunks } from '../../../../src/compression/formats/png/png-chunks';
import { createNativeEngine } from '../../../../src/compression/infrastructure/codecs/native/native-engine';
import { createRequest } from '../../../../src/compression/infrastructure/process/worker-messages';
import { readSettings } from '../../../../src/settings/settings';
import { png, screenshot } from '../../../support/drawn-pngs';

const { policy } = readSettings({}).compression;
const engine = createNativeEngine();
const drawing = png(240, 200, screenshot);

/** Compresses an image whose time is over when its recipe has asked so often. */
async function compressed(image: Uint8Array, trials: number, asked: Partial<CompressionPolicy> = {}) {
  let asks = 0;
  const timeLimit = new TimeLimit(() => asks++ >= trials);
  const wanted = { ...policy, ...asked };
  const source = readSource(image, wanted.maxPixels);
  const work = { source, engine, policy: wanted, stopwatch: new Stopwatch(), timeLimit };
  const { bytes, report } = await compressSource(work);
  const types = readChunks(bytes).map(({ type }) => type);
  return { bytes, report, isMarked: types.includes('icRS'), asks };
}

it('searches to the end while there is time', async () => {
  const { report, isMarked } = await compressed(drawing, Infinity);
  expect(report.partial).toBeUndefined();
  expect(isMarked).toBe(true);
});

it('packs without loss where nothing was verified, and the upload may get smaller when it is sent again', async () => {
  const quick = await compressed(drawing, 0);
  expect(quick.report).toMatchObject({ partial: 'deadline', score: 1, maxError: 0 });
  expect(quick.isMarked).toBe(false);
  expect(quick.bytes.length).toBeLessThan(drawing.length);
  const again = await compressed(quick.bytes, Infinity);
  expect(again.bytes.length).toBeLessThan(quick.bytes.length);
});

it('delivers a verified result whichever trial is the first to be left out', async () => {
  const { asks } = await compressed(drawing, Infinity);
  const guard = new FidelityGuard(await engine.png.decode(drawing), policy.targetScore);
  const scores = [];
  for (let trials = 1; trials < asks; trials++) {
    const { bytes, report, isMarked } = await compressed(drawing, trials);
    expect(report.partial).toBe('deadline');
    expect(isMarked).toBe(false);
    expect(bytes.length).toBeLessThan(drawing.length);
    expect(guard.judge(await engine.png.decode(bytes)).passes).toBe(true);
    scores.push(report.score);
  }
  expect(scores[0]).toBe(1);
  expect(scores.at(-1)).toBeLessThan(1);
});

it('returns an upload that quick packing does not make smaller', async () => {
  const { bytes } = await compressed(drawing, Infinity, { targetScore: 1, effort: 'max' });
  const { report } = await compressed(bytes, 0);
  expect(report).toMatchObject({ partial: 'deadline', skipReason: 'already-optimised' });
});

it('takes all time with the effort max', async () => {
  const { report, asks } = await compressed(drawing, 0, { effort: 'max' });
  expect(report.partial).toBeUndefined();
  expect(asks).toBe(0);
});

it('a worker may try for two thirds of the time that is left', () => {
  const image = new Uint8Array(1);
  expect(createRequest(image, { policy, deadlineAt: 31_000 }, 1000)[0]).toEqual({ policy, trialMs: 20_000 });
  expect(createRequest(image, { policy, deadlineAt: Infinity }, 1000)[0]).toEqual({ policy });
});
