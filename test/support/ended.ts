/** How a program ended: its status with its words, so that a wrong status shows the words that explain it. */
interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Matches a text with these words; a text may be a part of it. */
export const saying = (words: RegExp | string): unknown =>
  typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words);

/** @param words what it says there; a text may be a part of it */
export function expectEnd<E extends Ended>(
  ended: E,
  status: number,
  words: RegExp | string,
  stream: 'stdout' | 'stderr' = 'stderr',
) {
  expect([ended.status, ended[stream]]).toEqual([status, saying(words)]);
  return ended;
}

/** The output of a program that succeeded and reported nothing. */
export function expectSuccess({ status, stdout, stderr }: Ended) {
  expect([status, stderr]).toEqual([0, '']);
  return stdout;
}
