import { EventEmitter } from 'node:events';
import type { ExecutionContext } from '@nestjs/common';
import { TurnGuard } from '../../../../src/tinify/http/patient.guards';

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
    line as never,
    { isDraining: false } as never,
    runner as never,
    budget as never,
    { maxUploadBytes: 1e6 } as never,
  );
  const request = { ip, headers: {}, context: { caller, arrivedAt: 0 } };
  const http = { getRequest: () => request, getResponse: () => new EventEmitter() };
  await guard.canActivate({ switchToHttp: () => http } as unknown as ExecutionContext);
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
