import { PassThrough } from 'node:stream';
import { ErrorOutput } from '../../../../../src/compression/infrastructure/process/error-output';

it('counts what a worker writes over a whole image, however slowly it comes', async () => {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 60_000));
  const errors = new PassThrough();
  const floods: string[] = [];
  const output = new ErrorOutput(errors, (cause) => floods.push(cause));
  const line = Buffer.from(`${'x'.repeat(1023)}\n`);
  const writeLines = async (count: number) => {
    for (let i = 0; i < count; i++) errors.write(line);
    while (errors.readableLength > 0) await new Promise(setImmediate);
  };
  const counts = [];
  for (const count of [200, 56, 1]) {
    await writeLines(count);
    counts.push(floods.length);
  }
  output.allowMore();
  await writeLines(256);
  counts.push(floods.length);
  write.mockRestore();
  clock.mockRestore();
  expect(counts).toEqual([0, 0, 1, 1]);
  expect(floods).toEqual(['it floods its standard error']);
});

it('holds the lines until the worker has loaded, marks each once, however it arrives, and ends the last one', async () => {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const errors = new PassThrough();
  const output = new ErrorOutput(errors, () => undefined);
  for (const piece of ['one li', 'ne\nano', 'ther\n\x1b[2J', 'last']) {
    errors.write(piece);
    await new Promise(setImmediate);
    if (piece === 'ne\nano') {
      expect([output.firstLine, write.mock.calls]).toEqual(['one line', []]);
      output.release();
    }
  }
  errors.end();
  await new Promise((resolve) => errors.once('end', resolve));
  const text = write.mock.calls.map(([piece]) => String(piece)).join('');
  write.mockRestore();
  expect(text).toBe('worker: one line\nworker: another\nworker: ?[2Jlast\n');
});
