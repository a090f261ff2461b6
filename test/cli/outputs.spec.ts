/** What a command may write to: never a file that it reads, and devices and pipes stay what they are. */
import { lstatSync, symlinkSync } from 'node:fs';
import { expectEnd } from '../support/ended';
import { Workplace } from '../support/command-line';
import { graphicPng, photoJpeg } from '../support/images';

let photo: Buffer;
let other: Buffer;
beforeAll(async () => {
  photo = await photoJpeg(160, 120);
  other = await photoJpeg(160, 120, { quality: 60 });
});

const place = Workplace.forCalls();
beforeEach(() => {
  place.put('photo.jpg', photo);
  place.put('other.jpg', other);
  place.put('drawing.png', graphicPng(160, 120));
  place.put('site/photo.jpg', photo);
  place.put('site/index.html', '<img src="photo.jpg" width="16" height="12">');
});

const READS = 'This is one of the files that are read, and would be overwritten. Choose another name.';
const COMMANDS = {
  compress: 'compress photo.jpg -o',
  compare: 'compare photo.jpg other.jpg --map',
  check: 'check --site site --html',
};

describe('a file that the command reads stays, whatever leads to it', () => {
  beforeEach(() => symlinkSync('.', place.path('here')));

  it.each([
    ['compress photo.jpg -o here/photo.jpg', 'here/photo.jpg would be overwritten. Choose another folder'],
    ['compress photo.jpg other.jpg -o here', 'here/photo.jpg would be overwritten. Choose another folder'],
    ['compress site -o here/site --format webp,same', 'here/site/photo.jpg would be overwritten.'],
    ['compare photo.jpg drawing.png --map drawing.png', `drawing.png: ${READS}`],
    ['compare drawing.png photo.jpg --map here/drawing.png', `here/drawing.png: ${READS}`],
    ['check --site site --html site/photo.jpg', `site/photo.jpg: ${READS}`],
    ['check --site site --html here/site/index.html', `here/site/index.html: ${READS}`],
  ])('%s', async (args, message) => {
    const contents = () => place.files().map((name) => [name, lstatSync(place.path(name)).mtimeMs]);
    const before = contents();
    expectEnd(await place.call(args), 1, message);
    expect(contents()).toEqual(before);
  });

  it('on standard input, too', () => {
    const { status, stderr } = place.inShell('"$0" "$1" compress - -o photo.jpg < photo.jpg');
    expect([status, stderr]).toEqual([1, `photo.jpg: ${READS}\n`]);
    expect(place.read('photo.jpg')).toEqual(photo);
  });

  it('but an earlier report in the site is written again, and is none of its pages', async () => {
    const check = () => place.call('check --site site --html site/report.html');
    const first = await check();
    expect(await check()).toEqual(first);
    expect(first.stderr).toMatch(/could be saved/);
  });
});

const onUnix = process.platform === 'win32' ? describe.skip : describe;

onUnix('anything but a regular file', () => {
  const isRoot = process.getuid?.() === 0;

  it.each(Object.entries(COMMANDS))('takes the bytes of %s into a pipe', (_, command) => {
    // Descriptor 3 keeps the pipe open until both are there.
    const { stderr } = place.inShell(
      `mkfifo pipe; exec 3<> pipe; cat pipe > read 3>&- & "$0" "$1" ${command} pipe; [ -p pipe ] || echo gone >&2; exec 3>&-; wait`,
    );
    expect(stderr).not.toMatch(/gone|pipe:/);
    const read = place.read('read');
    expect(read.subarray(0, 4).toString('latin1')).toMatch(/^(\xff\xd8\xff|\x89PNG|<!do)/);
  });

  it.each(Object.entries(COMMANDS))('%s reports a pipe that no program reads', (_, command) => {
    const ended = place.inShell(`mkfifo pipe; "$0" "$1" ${command} pipe`);
    expectEnd(ended, 1, /^pipe: No program reads from this pipe/);
    expect(lstatSync(place.path('pipe')).isFIFO()).toBe(true);
  });

  (isRoot ? it : it.skip).each(Object.entries(COMMANDS))('%s leaves a device a device', (_, command) => {
    const { stderr } = place.inShell(`mknod null c 1 3 || echo none >&2; "$0" "$1" ${command} null`);
    if (stderr.includes('none')) return console.warn('SKIPPED: devices cannot be made here.');
    expect(stderr).not.toContain('null:');
    expect(lstatSync(place.path('null')).isCharacterDevice()).toBe(true);
  });

  it.each([
    ['a pipe', '| cat > read'],
    ['a file', '> read'],
  ])('-o /dev/stdout is standard output: %s', (_, redirection) => {
    // A link like the one in /dev, which stays unharmed if this fails.
    symlinkSync('/proc/self/fd/1', place.path('stdout'));
    const { stderr } = place.inShell(`"$0" "$1" compress photo.jpg -o stdout ${redirection}`);
    expect(stderr).toMatch(/^photo\.jpg: \d+ -> \d+ bytes/);
    expect(lstatSync(place.path('stdout')).isSymbolicLink()).toBe(true);
    const read = place.read('read');
    expect([read[0], read[1], read.at(-2), read.at(-1)]).toEqual([0xff, 0xd8, 0xff, 0xd9]);
    expect(read.length).toBeLessThan(photo.length);
  });

  it('a link to a file is not followed, and names itself', async () => {
    place.put('photos/photo.jpg', photo);
    place.put('elsewhere/photo.jpg', other);
    place.put('web/ready.txt', '');
    symlinkSync('../elsewhere/photo.jpg', place.path('web/photo.jpg'));
    expectEnd(await place.call('compress photos -o web'), 1, /^web\/photo\.jpg: This is a symbolic link/);
    expect(place.read('elsewhere/photo.jpg')).toEqual(other);
  });
});
