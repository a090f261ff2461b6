/** Remembered and shared results, with a runner that the test controls. */
import {
  CompressionRunner,
  CompressionUnavailable,
  type RunOptions,
  type RunResult,
} from '../../../../src/compression/application/running/compression-runner.port';
import { RememberingRunner } from '../../../../src/compression/application/running/remembering-runner';
import { ImageRefused } from '../../../../src/contract/image-problems';
import { MemoryResultStore } from '../../../../src/compression/infrastructure/remembered/memory-result-store';
import { readSettings } from '../../../../src/settings/settings';
import { graphicPng } from '../../../support/images';
import { resultOf } from '../../../support/results';

const { policy } = readSettings({}).compression;
const image = graphicPng(64, 48);

/** Runs wait until the test finishes them. */
class ScriptedRunner extends CompressionRunner {
  readonly runs: { image: Uint8Array; options: RunOptions; finish(outcome: RunResult | Error): void }[] = [];

  run(bytes: Uint8Array, options: RunOptions): Promise<RunResult> {
    return new Promise((resolve, reject) => {
      options.signal.addEventListener('abort', () => reject(new CompressionUnavailable('cancelled')));
      const finish = (outcome: RunResult | Error): void => {
        void Promise.resolve()
          .then(() => {
            if (outcome instanceof Error) throw outcome;
            options.onResultSize?.(outcome.bytes.length);
            return outcome;
          })
          .then(resolve, reject);
      };
      this.runs.push({ image: bytes, options, finish });
    });
  }
  hasPlaceFor = () => true;
  runSet = (): never => {
    throw new Error('Not asked by these tests');
  };
  state = (): never => {
    throw new Error('Not asked by these tests');
  };
}

let inner: ScriptedRunner;
let runner: RememberingRunner;
/** Called for each request, just before it joins a compression or begins one. */
const engineNow = jest.fn<string[], []>();
beforeEach(() => {
  engineNow.mockReset().mockReturnValue(['native', '1.0.0']);
  inner = new ScriptedRunner();
  runner = new RememberingRunner(inner, new MemoryResultStore(1024 * 1024), engineNow);
});

/** The time in the queue is longer than any test. */
const result: RunResult = { ...resultOf(Buffer.from('the result')), queueMs: 1e9 };
function run(options: Partial<RunOptions> = {}, bytes: Uint8Array = image): Promise<RunResult> {
  const signal = new AbortController().signal;
  return runner.run(bytes, { policy, deadlineAt: Infinity, signal, ...options });
}
const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
};
const untilRuns = (count: number) => until(() => inner.runs.length >= count);
const untilJoined = (count: number) => until(() => engineNow.mock.calls.length >= count);

it('compresses repeated bytes once, and reports that', async () => {
  const first = run();
  await untilRuns(1);
  inner.runs[0].finish(result);
  expect(await first).toEqual(result);
  const second = await run({}, Buffer.from(image));
  expect(second).toMatchObject({ isRemembered: true, bytes: result.bytes });
  expect(second.queueMs).toBeLessThan(result.queueMs);
  expect(second.report).toEqual({
    ...result.report,
    timings: { decode: 0, search: 0, encode: 0, verify: 0 },
    encodes: 0,
  });
  expect(inner.runs).toHaveLength(1);
});

it('compresses simultaneous uploads of the same bytes once', async () => {
  const outcomes = Array.from({ length: 5 }, () => run());
  await untilJoined(5);
  await untilRuns(1);
  inner.runs[0].finish(result);
  const all = await Promise.all(outcomes);
  expect(inner.runs).toHaveLength(1);
  expect(all.map(({ isRemembered = false }) => isRemembered).sort()).toEqual([false, true, true, true, true]);
  expect(all.every(({ bytes }) => bytes === result.bytes)).toBe(true);
});

it('compresses again other bytes, under another policy, or with another engine', async () => {
  const answer = async (outcome: Promise<RunResult>) => {
    await untilRuns(inner.runs.length + 1);
    inner.runs.at(-1)?.finish(result);
    return (await outcome).isRemembered;
  };
  const tries = [
    () => run(),
    () => run({}, graphicPng(64, 47)),
    ...Object.entries(policy).map(
      ([name, value]) =>
        () =>
          run({ policy: { ...policy, [name]: typeof value === 'number' ? value / 2 : 'other' } }),
    ),
  ];
  for (const one of tries) expect(await answer(one())).toBeUndefined();
  engineNow.mockReturnValue(['native', '1.0.1']);
  expect(await answer(run())).toBeUndefined();
  engineNow.mockReturnValue(['native', '1.0.0', 'jpegli cannot be loaded']);
  expect(await answer(run())).toBeUndefined();
  expect(inner.runs).toHaveLength(tries.length + 2);
});

it('gives each request its own bytes back when the image is skipped', async () => {
  const skipped = { ...result, bytes: image, report: { ...result.report, skipReason: 'animated' as const } };
  const copies = [Buffer.from(image), Buffer.from(image), Buffer.from(image)];
  const outcomes = copies.slice(0, 2).map((copy) => run({}, copy));
  await untilRuns(1);
  inner.runs[0].finish(skipped);
  outcomes.push(run({}, copies[2]));
  for (const [i, outcome] of outcomes.entries()) expect((await outcome).bytes).toBe(copies[i]);
  expect(inner.runs).toHaveLength(1);
});

it('continues while any request waits, and stops when the last one has left', async () => {
  const [one, two] = [new AbortController(), new AbortController()];
  const first = run({ signal: one.signal });
  await untilRuns(1);
  const second = run({ signal: two.signal });
  await untilJoined(2);
  one.abort();
  await expect(first).rejects.toMatchObject({ reason: 'cancelled' });
  expect(inner.runs[0].options.signal.aborted).toBe(false);
  two.abort();
  await expect(second).rejects.toMatchObject({ reason: 'cancelled' });
  expect(inner.runs[0].options.signal.aborted).toBe(true);
  const third = run();
  await untilRuns(2);
  inner.runs[1].finish(result);
  expect(await third).toEqual(result);
});

it('holds each request to its own deadline', async () => {
  const first = run();
  await untilRuns(1);
  const late = run({ deadlineAt: performance.now() + 60 });
  await expect(late).rejects.toMatchObject({ reason: 'deadline_exceeded' });
  inner.runs[0].finish(result);
  expect(await first).toEqual(result);
});

it.each([
  new ImageRefused('damaged', 'It is damaged.'),
  new CompressionUnavailable('worker_lost'),
  new Error('a bug'),
])('shares a refusal of the image, and does not remember it: %s', async (error) => {
  const outcomes = [run(), run()].map((outcome) => outcome.catch((thrown: unknown) => thrown));
  await untilJoined(2);
  await untilRuns(1);
  inner.runs[0].finish(error);
  expect(await Promise.all(outcomes)).toEqual([error, error]);
  expect(inner.runs).toHaveLength(1);
  const again = run();
  await untilRuns(2);
  inner.runs[1].finish(result);
  expect(await again).toEqual(result);
});

it.each(['overloaded', 'deadline_exceeded'] as const)(
  'a request that is refused (%s) does not affect the others that wait',
  async (reason) => {
    const first = run().catch((thrown: unknown) => thrown);
    await untilRuns(1);
    const second = run();
    await untilJoined(2);
    inner.runs[0].finish(new CompressionUnavailable(reason));
    expect(await first).toMatchObject({ reason });
    await untilRuns(2);
    inner.runs[1].finish(result);
    expect(await second).toEqual(result);
  },
);

it('reserves memory for each request before its result, and refuses only requests without memory', async () => {
  const sizes: number[] = [];
  const onResultSize = (bytes: number) => void sizes.push(bytes);
  const noMemory = () => {
    throw new CompressionUnavailable('overloaded');
  };
  const first = run({ onResultSize: noMemory }).catch((thrown: unknown) => thrown);
  await untilRuns(1);
  const second = run({ onResultSize });
  await untilJoined(2);
  inner.runs[0].finish(result);
  expect(await first).toMatchObject({ reason: 'overloaded' });
  expect((await second).isRemembered).toBe(true);
  await run({ onResultSize });
  expect(sizes).toEqual([10, 10]);
  await expect(run({ onResultSize: noMemory })).rejects.toMatchObject({ reason: 'overloaded' });
});

it('lets probes through to the workers', async () => {
  for (const n of [1, 2]) {
    const probe = run({ isUrgent: true });
    await untilRuns(n);
    inner.runs[n - 1].finish(result);
    expect(await probe).toEqual(result);
  }
});

it('refuses files that are not images without a worker or a store', async () => {
  await expect(run({}, Buffer.from('no image'))).rejects.toBeInstanceOf(ImageRefused);
});
