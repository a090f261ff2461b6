import { CompressionProbe } from '../../../../../src/compression/application/running/compression-probe';
import { CompressionUnavailable } from '../../../../../src/compression/application/running/compression-runner.port';
import { readSettings } from '../../../../../src/settings/settings';
import { partOf } from '../../../../support/part-of';

const settings = readSettings({ DEADLINE_MS: '30000' }).compression;
const secondsAgo = (seconds: number) => performance.now() - seconds * 1000;

interface Pool {
  readonly ready: number;
  readonly busy: number;
  readonly lastFinishedAt?: number;
}

function probeOf(pool: Pool, run: () => Promise<never> | Promise<object>) {
  const runner = { state: () => ({ queued: 0, ...pool }), run: jest.fn(run) };
  const probe = new CompressionProbe(settings, partOf(runner));
  return { probe, run: runner.run };
}
const passes = () => Promise.resolve({});
const fails = () => Promise.reject(new CompressionUnavailable('deadline_exceeded'));

it.each([
  [
    'working',
    'a picture was finished a moment ago',
    { ready: 2, busy: 2, lastFinishedAt: secondsAgo(1) },
    fails,
  ],
  ['working', 'the probe gets its picture through', { ready: 2, busy: 0 }, passes],
  ['busy', 'all have something better to do', { ready: 2, busy: 2, lastFinishedAt: secondsAgo(20) }, fails],
  [
    'not working',
    'nothing has come of it for a deadline',
    { ready: 2, busy: 2, lastFinishedAt: secondsAgo(31) },
    fails,
  ],
  ['not working', 'nothing has ever come of it', { ready: 2, busy: 2 }, fails],
  [
    'not working',
    'a worker is idle and does not take it',
    { ready: 2, busy: 1, lastFinishedAt: secondsAgo(20) },
    fails,
  ],
  ['not working', 'there is no worker', { ready: 0, busy: 0, lastFinishedAt: secondsAgo(1) }, fails],
] as const)('is %s when %s', async (verdict, _, pool, run) => {
  expect(await probeOf(pool, run).probe.check()).toBe(verdict);
});

it('compresses one image for concurrent checks, and another one for a later check', async () => {
  const { probe, run } = probeOf({ ready: 1, busy: 0 }, passes);
  expect(await Promise.all([probe.check(), probe.check(), probe.check()])).toEqual(Array(3).fill('working'));
  expect(run).toHaveBeenCalledTimes(1);
  await probe.check();
  expect(run).toHaveBeenCalledTimes(2);
});

it('does not hide its own errors', async () => {
  const { probe } = probeOf({ ready: 1, busy: 0 }, () => Promise.reject(new TypeError('a bug')));
  await expect(probe.check()).rejects.toThrow('a bug');
});
