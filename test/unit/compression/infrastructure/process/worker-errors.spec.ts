import { PassThrough } from 'node:stream';
import { passErrorsOn } from '../../../../../src/compression/infrastructure/process/worker-errors';

it('marks each line of a worker once, however it arrives, and ends the last one', async () => {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const errors = new PassThrough();
  passErrorsOn(errors, () => undefined);
  for (const piece of ['one li', 'ne\nano', 'ther\n\x1b[2J', 'last']) {
    errors.write(piece);
    await new Promise(setImmediate);
  }
  errors.end();
  await new Promise((resolve) => errors.once('end', resolve));
  const text = write.mock.calls.map(([piece]) => String(piece)).join('');
  write.mockRestore();
  expect(text).toBe('worker: one line\nworker: another\nworker: ?[2Jlast\n');
});
