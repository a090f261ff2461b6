import { readable } from '../../../src/observability/logging';

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
