import { QueryFailedError } from 'typeorm';
import { AccountStoreUnavailable } from '../../../../../src/accounts/application/account-repository.port';
import { createTaskRunner } from '../../../../../src/accounts/infrastructure/persistence/database-tasks';
import { partOf } from '../../../../support/part-of';

const run = createTaskRunner(partOf({ options: partOf({ type: 'postgres' }) }));
const failureOf = (error: unknown) =>
  run(() => Promise.reject(error as Error)).catch((failure: unknown) => failure);
const withCode = (code: string) => Object.assign(new Error('of the driver'), { code });

it.each([
  withCode('ECONNREFUSED'),
  withCode('EAI_AGAIN'),
  withCode('57P01'),
  withCode('SQLITE_BUSY'),
  new QueryFailedError('SELECT 1', [], withCode('08006')),
  new Error('Query read timeout'),
  new Error('timeout exceeded when trying to connect'),
  new Error('Connection terminated unexpectedly'),
  new Error('Client has encountered a connection error and is not queryable'),
  new QueryFailedError('SELECT 1', [], new Error('Connection terminated due to connection timeout')),
])('%s is an outage: 503, and the client may try again', async (error) => {
  const outage = await failureOf(error);
  expect(outage).toBeInstanceOf(AccountStoreUnavailable);
  expect((outage as Error).cause).toBe(error);
});

it.each([
  new TypeError("Cannot read properties of undefined (reading 'timeout')"),
  new RangeError('Invalid time value'),
  new Error('Unexpected row'),
  withCode('42P01'),
  withCode('ERR_INVALID_ARG_TYPE'),
  new QueryFailedError('SELECT 1', [], new TypeError('SQLite3 can only bind numbers, strings and buffers')),
  undefined,
])('%s is a bug: 500', async (error) => {
  expect(await failureOf(error)).toBe(error);
});
