import { SharedRun } from '../../../../src/compression/application/running/shared-run';
import { readSettings } from '../../../../src/settings/settings';
import { resultOf } from '../../../support/results';

const { policy } = readSettings({}).compression;

it('tells every request that shares a compression that a worker has taken the image', async () => {
  const taken: string[] = [];
  const shared = new SharedRun(() => undefined);
  const join = (name: string) => {
    const onStarted = () => taken.push(name);
    return shared.join({ policy, deadlineAt: Infinity, signal: new AbortController().signal, onStarted });
  };
  const runs = [join('first'), join('second')];
  expect(taken).toEqual([]);
  shared.started();
  expect(taken).toEqual(['first', 'second']);
  runs.push(join('third'));
  expect(taken).toEqual(['first', 'second', 'third']);
  shared.succeed({ ...resultOf(Buffer.from('the result')), queueMs: 0 });
  await Promise.all(runs);
});
