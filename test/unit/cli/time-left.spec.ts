import { TimeLeft, type Work } from '../../../src/cli/terminal/time-left';

const MEGAPIXEL = 1_000_000;

/** Works through images whose time follows from format and pixels; returns what was foreseen, and what was true. */
function simulate(works: readonly Work[], lanes: number, msPerMegapixel: Record<string, number>) {
  const timeLeft = new TimeLeft(
    works.map((work, i) => [i, work] as const),
    lanes,
  );
  const duration = ({ format, pixels }: Work) => (pixels / MEGAPIXEL) * msPerMegapixel[format] + 20;
  const ends: { key: number; at: number }[] = [];
  const samples: { now: number; left: number }[] = [];
  let [next, now] = [0, 0];
  const start = () => {
    if (next >= works.length) return;
    timeLeft.began(next, now);
    ends.push({ key: next, at: now + duration(works[next]) });
    next++;
  };
  for (let lane = 0; lane < lanes; lane++) start();
  while (ends.length > 0) {
    ends.sort((a, b) => b.at - a.at);
    const { key, at } = ends.pop()!;
    now = at;
    timeLeft.ended(key, now, true);
    start();
    const left = timeLeft.milliseconds(now);
    if (left !== undefined) samples.push({ now, left });
  }
  return samples.map((sample) => ({ ...sample, truth: now - sample.now }));
}

const photo = (megapixels: number): Work => ({ format: 'jpeg', pixels: megapixels * MEGAPIXEL });
const graphic = (megapixels: number): Work => ({ format: 'png', pixels: megapixels * MEGAPIXEL });

it.each([
  ['photos of one size', Array.from({ length: 40 }, () => photo(12)), 2],
  ['large before small', Array.from({ length: 60 }, (_, i) => photo(60 - i)), 4],
  [
    'photos and slower graphics, mixed',
    Array.from({ length: 60 }, (_, i) => (i % 3 ? photo(8) : graphic(4))),
    2,
  ],
])('is within a fifth of the truth after a tenth of the time: %s', (_, works, lanes) => {
  const samples = simulate(works, lanes, { jpeg: 200, png: 1500 });
  const whole = samples[0].now + samples[0].truth;
  const settled = samples.filter(({ now, truth }) => now > whole / 10 && truth > whole / 20);
  expect(settled.length).toBeGreaterThan(0);
  for (const { left, truth } of settled) expect(Math.abs(left - truth) / truth).toBeLessThan(0.2);
});

it('foresees a poster behind two hundred icons, by half at least', () => {
  const works = [...Array.from({ length: 200 }, () => photo(0.05)), photo(100)];
  const samples = simulate(works, 2, { jpeg: 200 });
  for (const { left, truth } of samples.slice(0, -1)) {
    expect(left / truth).toBeGreaterThan(0.5);
    expect(left / truth).toBeLessThan(1.5);
  }
});

it('goes down while nothing ends, and never to nothing before the end', () => {
  const timeLeft = new TimeLeft(
    [
      [1, photo(1)],
      [2, photo(1)],
    ] as const,
    1,
  );
  expect(timeLeft.milliseconds(0)).toBeUndefined();
  timeLeft.began(1, 0);
  timeLeft.ended(1, 1000, true);
  timeLeft.began(2, 1000);
  expect(timeLeft.milliseconds(1000)).toBeCloseTo(1000);
  expect(timeLeft.milliseconds(1600)).toBeCloseTo(400);
  expect(timeLeft.milliseconds(9000)).toBeCloseTo(100);
  timeLeft.ended(2, 9000, true);
  expect(timeLeft.milliseconds(9000)).toBeUndefined();
});

it('learns nothing from images that took no work', () => {
  const timeLeft = new TimeLeft(
    [
      [1, photo(50)],
      [2, photo(1)],
    ] as const,
    1,
  );
  timeLeft.began(1, 0);
  timeLeft.ended(1, 1, false);
  expect(timeLeft.milliseconds(1)).toBeUndefined();
});
