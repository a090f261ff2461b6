import sharp from 'sharp';
import {
  equivalentQuality,
  isFamilyTable,
  MOZJPEG_TABLES,
  nearestQuality,
  STANDARD_TABLES,
} from '../../../../../src/compression/domain/history/quantization-tables';
import { readLumaSteps } from '../../../../../src/compression/formats/jpeg/jpeg-structure';

async function stepsOf(quality: number, mozjpeg: boolean) {
  const image = sharp({ create: { width: 16, height: 16, channels: 3, background: 'red' } });
  return readLumaSteps(await image.jpeg({ quality, mozjpeg }).toBuffer())!;
}

it.each([1, 25, 50, 75, 82, 95, 100])('computes the tables of libjpeg and MozJPEG at %i', async (quality) => {
  const families = [STANDARD_TABLES, MOZJPEG_TABLES];
  for (const { name, stepsAt } of families) {
    const steps = await stepsOf(quality, name === 'mozjpeg');
    expect(stepsAt(quality)).toEqual(steps);
    expect(nearestQuality(steps, families)).toBe(quality);
    expect(isFamilyTable({ name, stepsAt }, steps)).toBe(true);
  }
});

it('distinguishes the families, and returns the nearest quality for an unknown table', async () => {
  const steps = await stepsOf(80, true);
  expect(nearestQuality(steps, [STANDARD_TABLES, MOZJPEG_TABLES])).toBe(80);
  expect(isFamilyTable(STANDARD_TABLES, steps)).toBe(false);
  const odd = steps.map((step, i) => step + (i % 7 === 0 ? 1 : 0));
  expect(isFamilyTable(MOZJPEG_TABLES, odd)).toBe(false);
  expect(nearestQuality(odd, [STANDARD_TABLES, MOZJPEG_TABLES])).toBe(80);
});

it('returns the quality that quantizes low frequencies as coarsely', () => {
  const low = (quality: number) => STANDARD_TABLES.stepsAt(quality).slice(0, 21);
  for (let quality = 2; quality <= 100; quality++) {
    expect(low(equivalentQuality(STANDARD_TABLES.stepsAt(quality), STANDARD_TABLES))).toEqual(low(quality));
  }
  // libjpeg's table has smaller steps at low frequencies, so it corresponds to a higher quality of MozJPEG.
  const equivalent = equivalentQuality(STANDARD_TABLES.stepsAt(75), MOZJPEG_TABLES);
  expect(equivalent).toBeGreaterThan(75);
  expect(equivalent).toBeLessThan(88);
  expect(equivalentQuality(Array<number>(64).fill(255), STANDARD_TABLES)).toBeLessThan(10);
  expect(equivalentQuality(Array<number>(64).fill(1), STANDARD_TABLES)).toBe(100);
});
