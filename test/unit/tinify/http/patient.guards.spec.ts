import { EventEmitter } from 'node:events';
import type { ExecutionContext } from '@nestjs/common';
import { TurnGuard } from '../../../../src/tinify/http/tinify.guards';
import { partOf } from '../../../support/part-of';

/** Returns what the guard asks the line, the queue and the memory about: whose share a request takes. */
async function sharersOf(caller: { accountId: string; isTrial: boolean }, ip: string) {
  const asked: string[] = [];
  const line = {
    enter: (sharer: string, _closed: AbortSignal, hasRoom: () => boolean) => {
      asked.push(sharer);
      expect(hasRoom()).toBe(true);
      return Promise.resolve();
    },
  };
  const runner = { hasPlaceFor: (sharer: string) => asked.push(sharer) };
  const budget = { hasRoomFor: (_bytes: number, sharer: string) => asked.push(sharer) > 0 };
  const guard = new TurnGuard(
    partOf(line),
    partOf({ isDraining: false }),
    partOf(runner),
    partOf(budget),
    partOf({ maxUploadBytes: 1e6 }),
  );
  const request = { ip, headers: {}, context: { caller, arrivedAt: 0 } };
  const http = { getRequest: () => request, getResponse: () => new EventEmitter() };
  await guard.canActivate(partOf<ExecutionContext>({ switchToHttp: () => http }));
  return asked;
}

it('lets the trials of one address wait in one line, and measures them by one share of queue and memory', async () => {
  const first = await sharersOf({ accountId: 'a', isTrial: true }, '192.0.2.1');
  expect(new Set([...first, ...(await sharersOf({ accountId: 'b', isTrial: true }, '192.0.2.1'))]).size).toBe(
    1,
  );
  expect(await sharersOf({ accountId: 'c', isTrial: true }, '192.0.2.2')).not.toContain(first[0]);
});

it('gives every account a line and a share of its own', async () => {
  expect(await sharersOf({ accountId: 'a', isTrial: false }, '192.0.2.1')).toEqual(['a', 'a', 'a']);
});
