import { stripVTControlCharacters } from 'node:util';
import { hasPrograms } from '../support/services';
import { graphicPng, photoJpeg } from '../support/images';
import { Workplace } from '../support/command-line';

const LONG = 'photos/a-long-name-of-a-folder-full-of-holidays/and-one-in-it/IMG_20240101_120000_beach.jpg';
let photo: Buffer;
beforeAll(async () => (photo = await photoJpeg(160, 120)));
const place = Workplace.forCalls();
beforeEach(() => {
  place.put(LONG, photo);
  place.put('photos/b.png', graphicPng(64, 64));
  place.put('photos/c.jpg', photo);
});

/** Lines as they stay on the screen: what the bar has drawn over is gone. */
function screen(text: string) {
  return text.split(/\r?\n/).map((line) => stripVTControlCharacters(line.split('\u001b[2K').at(-1)!));
}
const itOnTerminal = hasPrograms('script') ? it : it.skip;

itOnTerminal('prints a line for each image as it is done, above a bar with the time that is left', () => {
  const text = place.onTerminal(60, ['compress', 'photos', 'missing.jpg', '-o', 'web']);
  const lines = screen(text);
  expect(lines).toContainEqual(expect.stringMatching(/^photos\/c\.jpg: \d+ -> \d+ bytes \(-\d+\.\d%\)/));
  expect(lines).toContainEqual(expect.stringContaining(`${LONG}: `));
  expect(lines).toContainEqual('missing.jpg: There is no such file or folder. Check the name.');
  expect(text).toMatch(/█+░+ [123] of 4.*, \d+s left[^]*4 of 4, \d+(\.\d)? k?B saved/);
  expect(lines).toContainEqual(expect.stringMatching(/^total +3 /));
  expect(text).not.toContain('\u001b[?7l');
  expect(place.onTerminal(60, ['compress', 'photos', '-o', 'other', '--quiet'])).toBe('');
});

const toX = ['compress', 'photos/b.png', 'missing.jpg', '-o', 'x'];
const COLOUR = /\u001b\[3\dm/;
itOnTerminal.each([
  ['a terminal', [], {}, true],
  ['a terminal with NO_COLOR', [], { NO_COLOR: '1' }, false],
  ['a terminal with --no-color', ['--no-color'], { FORCE_COLOR: '1' }, false],
  ['a terminal with --color and NO_COLOR', ['--color'], { NO_COLOR: '1' }, true],
  ['a terminal that knows no colours', [], { TERM: 'dumb' }, false],
])('colours on %s: %j %j %s', (_, args, env, isColoured) => {
  expect(COLOUR.test(place.onTerminal(100, [...toX, ...args], env))).toBe(isColoured);
});

it.each([
  ['a pipe', [], {}, false],
  ['a pipe with FORCE_COLOR', [], { FORCE_COLOR: '1' }, true],
  ['a pipe with --color', ['--color'], {}, true],
])('colours on %s: %j %j %s', (_, args, env, isColoured) => {
  const { stdout, stderr } = place.run([...toX, ...args], { env });
  expect([COLOUR.test(stdout), COLOUR.test(stderr)]).toEqual([isColoured, isColoured]);
});

it('prints only failures with --quiet, and ends as without', async () => {
  const { status, stdout, stderr } = await place.call([...toX, '--quiet']);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^missing\.jpg: There is no such file[^\n]*\n1 of 2 could not be compressed\.\n$/);
  const json = await place.call([...toX, '--quiet', '--json']);
  expect(JSON.parse(json.stdout)).toMatchObject({ input: 'missing.jpg', error: 'ENOENT' });
  expect(place.run(['compress', '-', '--quiet'], { input: photo })).toMatchObject({ status: 0, stderr: '' });
});
