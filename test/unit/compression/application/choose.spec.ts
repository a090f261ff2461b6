/** The chooser, on invented candidates: which are made, in which order, and which one wins. */
import { choose, type Candidate, type Result } from '../../../../src/compression/application/choose';

const rules = { originalSize: 1000, minSavingsRatio: 0.02, mustChange: false };

interface Invented extends Partial<Candidate> {
  readonly name: string;
  readonly expected: number;
  /** Absent if it gains nothing. */
  readonly bytes?: number;
  readonly result?: Partial<Result>;
}

/** Returns the name of the winner, and the names of those that were made, in order. */
async function chosen(
  invented: readonly Invented[],
  asked: Partial<typeof rules> = {},
  lateAfter = Infinity,
) {
  const made: string[] = [];
  const candidates = invented.map(({ name, expected, bytes, result, ...others }): Candidate => ({
    estimate: () => expected,
    margin: 1,
    make: () => {
      made.push(name);
      const file = { format: name, score: 1, dimensions: { width: 1, height: 1 }, ...result };
      return Promise.resolve(bytes === undefined ? undefined : { ...file, bytes: new Uint8Array(bytes) });
    },
    ...others,
  }));
  const winner = await choose(candidates, { ...rules, ...asked }, () => made.length >= lateAfter);
  return { winner: winner?.format, made: made.join(' ') };
}

it('makes the smallest estimate first, and nothing that is expected to be larger', async () => {
  const found = await chosen([
    { name: 'large', expected: 800, bytes: 100 },
    { name: 'small', expected: 500, bytes: 550 },
  ]);
  expect(found).toEqual({ winner: 'small', made: 'small' });
});

it('makes another one within the margin of its estimate', async () => {
  const second = { name: 'second', expected: 600, bytes: 400 };
  const first = { name: 'first', expected: 500, bytes: 550 };
  expect(await chosen([first, { ...second, margin: 1.1 }])).toEqual({
    winner: 'second',
    made: 'first second',
  });
  expect(await chosen([first, { ...second, margin: 1.09 }])).toEqual({ winner: 'first', made: 'first' });
});

it('makes what has no estimate only where nothing else saves enough', async () => {
  const lossless = { name: 'lossless', expected: Infinity, bytes: 970 };
  const lossy = { name: 'lossy', expected: 900 };
  expect(await chosen([{ ...lossy, bytes: 980 }, lossless])).toEqual({ winner: 'lossy', made: 'lossy' });
  const found = await chosen([{ ...lossy, bytes: 981 }, lossless]);
  expect(found).toEqual({ winner: 'lossless', made: 'lossy lossless' });
});

it('leaves out what is expected to take more than it may', async () => {
  const [own, other] = [
    { name: 'own', expected: 500, bytes: 500 },
    { name: 'other', expected: 480, bytes: 10 },
  ];
  expect(await chosen([own, { ...other, most: () => 479 }])).toEqual({ winner: 'own', made: 'own' });
  expect(await chosen([own, { ...other, most: () => 480 }])).toEqual({ winner: 'other', made: 'other' });
});

it('admits no file that saves too little or misses the target, unless the upload must change', async () => {
  const little = { name: 'little', expected: 900, bytes: 990 };
  const missing = { name: 'missing', expected: 100, bytes: 100, result: { missedScore: 0.9 } };
  expect((await chosen([little])).winner).toBeUndefined();
  expect((await chosen([missing])).winner).toBeUndefined();
  expect((await chosen([little], { mustChange: true })).winner).toBe('little');
  expect((await chosen([missing], { mustChange: true })).winner).toBe('missing');
  expect((await chosen([missing, little], { mustChange: true })).winner).toBe('little');
});

it('takes the file that looks most like the upload where all miss the target', async () => {
  const near = { name: 'near', expected: 900, bytes: 900, result: { missedScore: 0.95 } };
  const far = { name: 'far', expected: 100, bytes: 100, result: { missedScore: 0.9 } };
  expect((await chosen([near, far], { mustChange: true })).winner).toBe('near');
});

it('takes the upload as it is against a file that is larger', async () => {
  const skipReason = 'already-optimised';
  const upload = { name: 'upload', expected: 960, bytes: 950, margin: 2, result: { skipReason } } as const;
  const other = { name: 'other', expected: 940, bytes: 970 };
  expect(await chosen([upload, other])).toEqual({ winner: 'upload', made: 'other upload' });
});

it('tries nothing more once it is late, but makes one file', async () => {
  const two = [
    { name: 'first', expected: 500, bytes: 900 },
    { name: 'second', expected: 600, bytes: 100, margin: 9 },
  ];
  expect(await chosen(two, {}, 1)).toEqual({ winner: 'first', made: 'first' });
  expect(await chosen(two, {}, 2)).toEqual({ winner: 'second', made: 'first second' });
  // A file that is not admitted is no result.
  expect(await chosen([{ ...two[0], bytes: 990 }, two[1]], {}, 1)).toMatchObject({ winner: 'second' });
});

it('goes on without a file that turns out to gain nothing', async () => {
  const found = await chosen([
    { name: 'first', expected: 100 },
    { name: 'second', expected: 500, bytes: 500 },
  ]);
  expect(found).toEqual({ winner: 'second', made: 'first second' });
});
