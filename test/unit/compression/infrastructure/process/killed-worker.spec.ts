import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { FrameChannel } from '../../../../../src/compression/infrastructure/process/frame-channel';
import type * as SpawnWorker from '../../../../../src/compression/infrastructure/process/spawn-worker';
import { Worker } from '../../../../../src/compression/infrastructure/process/worker';
import { NO_SANDBOX } from '../../../../../src/compression/infrastructure/sandbox/sandbox';

const messages = new PassThrough();
const mockSpawned = {
  process: Object.assign(new EventEmitter(), { pid: 2 ** 30, kill: () => true }),
  messages,
  errors: new PassThrough(),
};
jest.mock<typeof SpawnWorker>('../../../../../src/compression/infrastructure/process/spawn-worker', () => ({
  ...jest.requireActual<typeof SpawnWorker>(
    '../../../../../src/compression/infrastructure/process/spawn-worker',
  ),
  spawnWorker: () => mockSpawned as unknown as ReturnType<typeof SpawnWorker.spawnWorker>,
}));

it('a worker that is killed while it loads has not started, even if it says so later', async () => {
  const calls: unknown[] = [];
  const worker = new Worker(
    [],
    false,
    {
      onLoaded: () => calls.push('loaded'),
      onLongIdle: () => undefined,
      onExit: (_, { cause, isUnusable }) => void calls.push([cause, isUnusable]),
    },
    NO_SANDBOX,
  );
  worker.kill('it floods its standard error');
  new FrameChannel(messages, () => undefined).send({ kind: 'ready', notices: [] });
  await new Promise(setImmediate);
  expect([calls, worker.isReady]).toEqual([[], false]);
  for (const event of ['exit', 'close']) mockSpawned.process.emit(event, null, 'SIGKILL');
  expect(calls).toEqual([['it floods its standard error', false]]);
});
