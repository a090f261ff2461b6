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
  for (const now of [3000, 9000, 60_000]) {
    const left = timeLeft.milliseconds(now)!;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(100);
  }
  timeLeft.ended(2, 60_000, true);
  expect(timeLeft.milliseconds(60_000)).toBeUndefined();
});

/** A folder whose first images say nothing about the others: the time of the first is not that of its pixels. */
function frames(works: readonly Work[], durations: readonly number[]) {
  const timeLeft = new TimeLeft(
    works.map((work, i) => [i, work] as const),
    1,
  );
  const said: { now: number; left: number }[] = [];
  let now = 0;
  works.forEach((_, i) => {
    timeLeft.began(i, now);
    for (const end = now + durations[i]; now < end; now += 100) {
      const left = timeLeft.milliseconds(now);
      if (left !== undefined) said.push({ now, left });
    }
    timeLeft.ended(i, now, true);
  });
  return { said, whole: now };
}

describe('does not jump', () => {
  it.each([
    [
      'after an icon that took long',
      [graphic(0.01), ...Array.from({ length: 20 }, () => photo(12))],
      400,
      500,
    ],
    ['after a photo that took long', Array.from({ length: 20 }, () => photo(12)), 6000, 500],
    ['after a photo that was fast', Array.from({ length: 20 }, () => photo(12)), 300, 2000],
  ])('%s', (_, works, first, others) => {
    const { said, whole } = frames(
      works,
      works.map((_, i) => (i === 0 ? first : others)),
    );
    expect(said.length).toBeGreaterThan(10);
    for (const [i, { now, left }] of said.entries()) {
      if (i === 0) continue;
      const before = said[i - 1];
      const step = Math.abs(left + now - (before.left + before.now));
      expect(step).toBeLessThanOrEqual(Math.max(1000, 0.12 * before.left));
    }
    const settled = said.filter(({ now }) => now > whole * 0.75 && now < whole * 0.95);
    for (const { now, left } of settled) expect(Math.abs(now + left - whole) / whole).toBeLessThan(0.4);
  });

  it('and says nothing after one icon of a folder of photos', () => {
    const timeLeft = new TimeLeft(
      [graphic(0.01), ...Array.from({ length: 20 }, () => photo(12))].map((work, i) => [i, work] as const),
      1,
    );
    timeLeft.began(0, 0);
    timeLeft.ended(0, 400, true);
    expect(timeLeft.milliseconds(400)).toBeUndefined();
  });
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
