import { Writable } from 'node:stream';
import { createLogger, readable } from '../../../src/observability/logging';

const line = (members: object) =>
  readable(
    JSON.stringify({ level: 'info', time: '2026-11-27T08:00:00.000Z', message: 'request', ...members }),
  );

it('writes a line for people: time, level, message and members', () => {
  expect(line({ status: 200, path: '/docs', code: 'not a word' })).toMatch(
    /^\d\d:\d\d:\d\d info request status=200 path=\/docs code="not a word"\n$/,
  );
});

it('shows the stack of a bug on lines of its own', () => {
  const text = line({ level: 'error', err: { message: 'no', stack: 'Error: no\n    at f (x.js:1)' } });
  expect(text.split('\n').slice(1)).toEqual(['Error: no', '    at f (x.js:1)', '']);
});

it.each(['\x1b[2J', '\x9b2J', 'a\nb', '\u007f'])('sends no control character of a client: %j', (path) => {
  const text = line({ path });
  expect(text.trimEnd()).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
});

function logged(members: object) {
  let text = '';
  const output = new Writable({
    write(piece: Buffer, _encoding, done) {
      text += piece.toString();
      done();
    },
  });
  createLogger('info', undefined, output).info(members, 'request');
  return JSON.parse(text) as Record<string, unknown>;
}

it('cuts texts at 200 characters, but no stack', () => {
  const [kept, long] = ['a'.repeat(200), 'a'.repeat(15_000)];
  const { path, cause, stack, err } = logged({ path: kept, cause: long, stack: long, err: { stack: long } });
  expect(path).toBe(kept);
  expect(cause).toBe(`${'a'.repeat(199)}…`);
  expect([stack, err]).toEqual([long, { stack: long }]);
});

it('gives durations and scores at most four significant digits, and counts all', () => {
  const timings = { queue: 0.6356049999958486, encode: 12_345.678, decode: 0 };
  expect(logged({ score: 0.991_412_3, timings, originalSize: 272_709, isTrial: false })).toMatchObject({
    score: 0.9914,
    timings: { queue: 0.6356, encode: 12_350, decode: 0 },
    originalSize: 272_709,
    isTrial: false,
  });
});
