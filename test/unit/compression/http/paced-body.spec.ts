import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { pacedBody, pacedPieces } from '../../../../src/compression/http/result-response';
import { partOf } from '../../../support/part-of';

const MIB = 1024 * 1024;
const bytes = Buffer.alloc(20 * MIB, 5);

function responseTo() {
  const destroy = jest.fn();
  return {
    res: partOf<ServerResponse>(Object.assign(new EventEmitter(), { req: { socket: { destroy } } })),
    destroy,
  };
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

it('disconnects a client that reads nothing for half a minute', async () => {
  const { res, destroy } = responseTo();
  pacedBody(bytes, res).read();
  await new Promise(setImmediate);
  jest.advanceTimersByTime(29_000);
  expect(destroy).not.toHaveBeenCalled();
  jest.advanceTimersByTime(5_000);
  expect(destroy).toHaveBeenCalled();
});

it.each([
  ['slow, and read to the end', 32, 0],
  ['slower than 16 KiB a second', 4, 1],
])('a client that is %s', async (_, kibibytesPerSecond, times) => {
  const { res, destroy } = responseTo();
  const body = pacedBody(bytes, res);
  const lumpSeconds = 20;
  let owed = 0;
  for (let second = 0; second < 240 && destroy.mock.calls.length === 0; second += lumpSeconds) {
    owed += kibibytesPerSecond * 1024 * lumpSeconds;
    for (let piece = body.read() as Buffer | null; owed > 0; piece = body.read() as Buffer | null) {
      owed -= piece?.length ?? 0;
      if (!piece) await new Promise(setImmediate);
    }
    // The next piece is there before any timer fires.
    await new Promise(setImmediate);
    jest.advanceTimersByTime(lumpSeconds * 1000);
  }
  expect(Math.min(1, destroy.mock.calls.length)).toBe(times);
});

it('a client that waits for the next piece is not slow', async () => {
  const { res, destroy } = responseTo();
  async function* rare() {
    for (let i = 0; i < 3; i++) {
      await new Promise((resolve) => setTimeout(resolve, 100_000));
      yield Buffer.alloc(10);
    }
  }
  const body = pacedPieces(rare(), res);
  const end = new Promise((resolve) => body.on('end', resolve));
  body.resume();
  for (let i = 0; i < 3; i++) {
    await new Promise(setImmediate);
    jest.advanceTimersByTime(100_000);
  }
  await end;
  expect(destroy).not.toHaveBeenCalled();
});
