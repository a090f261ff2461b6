import { Logger } from '@nestjs/common';
import { OutputsService } from '../../../../src/tinify/application/outputs.service';
import { partOf } from '../../../support/part-of';

beforeAll(() => void Logger.overrideLogger(false));
beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

it('deletes expired outputs in small steps, twice a minute, until it is stopped', async () => {
  let expired = 45;
  const purge = jest.fn((_: Date, max: number) => {
    const purged = Math.min(max, expired);
    expired -= purged;
    return Promise.resolve(purged);
  });
  const outputs = new OutputsService(partOf({ purge }));
  outputs.onModuleInit();
  await jest.advanceTimersByTimeAsync(30_000);
  expect([expired, purge.mock.calls.length]).toEqual([0, 3]);
  purge.mockRejectedValueOnce(new Error('the database is away'));
  await jest.advanceTimersByTimeAsync(60_000);
  expect(purge).toHaveBeenCalledTimes(5);
  outputs.onModuleDestroy();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(purge).toHaveBeenCalledTimes(5);
});
