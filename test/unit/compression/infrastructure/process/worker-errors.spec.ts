import { PassThrough } from 'node:stream';
import { VitalSigns } from '../../../../../src/compression/infrastructure/process/vital-signs';

const vitalSigns = (errors: PassThrough, onLost: (cause?: string) => void) =>
  new VitalSigns({ heartbeat: new PassThrough(), errors }, onLost);

it('counts what a worker writes over a whole image, however slowly it comes', async () => {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 60_000));
  const errors = new PassThrough();
  const floods: string[] = [];
  const vitals = vitalSigns(errors, (cause) => floods.push(String(cause)));
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
  vitals.beginImage(0, () => undefined);
  await writeLines(256);
  counts.push(floods.length);
  write.mockRestore();
  clock.mockRestore();
  vitals.stop();
  expect(counts).toEqual([0, 0, 1, 1]);
  expect(floods).toEqual(['it floods its standard error']);
});

it('marks each line of a worker once, however it arrives, and ends the last one', async () => {
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  const errors = new PassThrough();
  vitalSigns(errors, () => undefined).stop();
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
