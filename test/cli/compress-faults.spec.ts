import { spawnSync } from 'node:child_process';
import { chmodSync, symlinkSync } from 'node:fs';
import { withSegments } from '../../src/compression/formats/jpeg/segment-writer';
import { expectEnd } from '../support/ended';
import { graphicPng, photoJpeg } from '../support/images';
import { CLI, jsonLines, Workplace } from '../support/command-line';
import { onLinux } from '../support/on-linux';
import { directorySegment, GAIN_MAP_KINDS, multiPicture, smallPicture } from '../support/phone-files';

let photo: Buffer;
const graphic = graphicPng(64, 64);
beforeAll(async () => (photo = await photoJpeg(160, 120)));

const place = Workplace.forCalls();
const compress = (args: string, env: NodeJS.ProcessEnv = {}) => place.call(`compress ${args}`, env);

it('messages of libraries do not get into a result on standard output', async () => {
  // libultrahdr prints what it cannot parse.
  const [{ payload }] = GAIN_MAP_KINDS['Ultra HDR'];
  const broken = Buffer.from(Buffer.from(payload).toString('latin1').replace('hdrgm:Vers', 'hdrgm:V\x05rs'));
  const map = await smallPicture([{ marker: 0xe1, payload: broken }]);
  const first = withSegments(photo, [directorySegment('GainMap', map.length)]);
  place.put('hdr.jpg', multiPicture(first, [{ picture: map, type: 0 }]));
  const { status, bytes } = place.run(['compress', 'hdr.jpg', '-o', '-']);
  expect([status, bytes.subarray(0, 3)]).toEqual([0, Buffer.of(0xff, 0xd8, 0xff)]);
});

// A limit on the size of files acts like a disk that becomes full.
onLinux('a result that standard output takes only in part is a failure', () => {
  place.put('photo.jpg', photo);
  expectEnd(
    place.inShell('ulimit -f 2; "$0" "$1" compress - < photo.jpg > part.jpg'),
    1,
    /^standard output: The result is larger than this disk or your limits allow\. Choose another output with -o\.\n$/,
  );
  expect(place.read('part.jpg').length).toBeLessThan(4096);
});

onLinux.each(['-o -', '-n'])('says that standard output cannot be written: %s', (option) => {
  place.put('a.png', graphic);
  expectEnd(
    place.inShell(`"$0" "$1" compress a.png ${option} > /dev/full`),
    1,
    /^Standard output cannot be written: ENOSPC: no space left on device, write\.\n/,
  );
});

onLinux('reads standard input no further than it takes to see that it is no image', () => {
  // Without an end. Read to the limit, it would be called too large.
  expectEnd(
    place.inShell('yes | "$0" "$1" compress -'),
    1,
    /^standard input: .*, judging by its first bytes/,
  );
});

onLinux('says that standard input is a folder', () => {
  expectEnd(place.inShell('"$0" "$1" compress - < .'), 1, 'standard input: This is a folder.');
});

it('refuses an empty name, as of a variable that is not set', async () => {
  place.put('photo.jpg', photo);
  expectEnd(await place.call(['compress', '--in-place', '']), 1, 'The name is empty.');
  expect(place.read('photo.jpg')).toEqual(photo);
});

it('minds no variables of other programs', async () => {
  place.put('photo.jpg', photo);
  const others = {
    DATABASE_URL: 'mysql://u:p@h/d',
    REDIS_URL: 'memcached://x',
    PORT: 'tcp',
    LOG_LEVEL: 'trace',
  };
  expect((await compress('photo.jpg -o out', others)).status).toBe(0);
});

const itAsRoot = process.geteuid?.() === 0 ? it : it.skip;
itAsRoot('names folders that cannot be read', () => {
  for (const folder of ['closed', 'open/below']) {
    place.put(`${folder}/photo.jpg`, photo);
    chmodSync(place.path(folder), 0);
  }
  const asNobody = `process.setuid(65534); process.argv.splice(1, 1); require(${JSON.stringify(CLI)})`;
  chmodSync(place.folder, 0o755);
  for (const command of ['compress -n', 'check --json']) {
    const args = ['-e', asNobody, 'x', CLI, ...command.split(' '), 'closed', 'open'];
    const { status, stdout, stderr } = place.node(...args);
    const said = stdout + stderr;
    expect([command, status, said.match(/closed|open\/below/g)]).toEqual([
      command,
      1,
      ['closed', 'open/below'],
    ]);
    expect(said).toContain('Access is denied');
  }
});

it('writes nothing through a link inside the output folder, which may be a link itself', async () => {
  place.put('photos/a.png', graphic);
  place.put('photos/sub/deep/b.png', graphic);
  place.put('outside/deep/b.png', 'not yours');
  place.put('disk/old.txt', 'a folder elsewhere');
  symlinkSync(place.path('disk'), place.path('dist'));
  symlinkSync(place.path('outside'), place.path('dist/sub'));
  for (const again of ['', '--force']) {
    expectEnd(
      await compress(`photos -o dist ${again}`.trim()),
      1,
      /^dist\/sub\/deep\/b\.png: dist\/sub is a symbolic link.*Remove it/m,
    );
    expect(place.text('outside/deep/b.png')).toBe('not yours');
    expect(place.files('outside/deep')).toEqual(['b.png']);
    expect(place.read('disk/a.png').length).toBeLessThan(graphic.length);
  }
});

describe('what is wrong is said in a sentence that helps', () => {
  beforeEach(() => {
    place.put('a.png', graphic);
    place.put('sub/a.png', graphic);
    place.put('words.png', 'these are words');
    place.put('empty.jpg', '');
    place.put('half.jpg', photo.subarray(0, photo.length / 2));
    place.put('taken/a.png/file', 'in the way');
    symlinkSync(place.path('a.png'), place.path('link.png'));
    symlinkSync('loop', place.path('loop'));
  });

  it.each([
    ['a.png', 2, /Say where the results go/],
    ['a.png -o x.png --in-place', 2, /Choose one/],
    ['a.png --in-place --suffix .min', 2, /Choose one: --suffix/],
    ['a.png -o x.png --suffix .min', 2, /Choose one: -o FILE/],
    ['a.png --suffix /x', 2, /without slashes/],
    ['a.png -o x.png --backup .orig', 2, /--backup keeps what --in-place replaces/],
    ['a.png --in-place --backup .png', 2, /must not end like the name of an image/],
    ['a.png -n --quality best', 2, /--quality best: must be one of/],
    ['a.png -n --jobs two', 2, /must be an integer/],
    ['a.png -n --allow any', 2, /give both, or leave it out/],
    ['a.png -n --quality lossless --max-bytes 5kB', 2, /^--max-bytes cannot be combined/],
    ['a.png -n --quality lossless --density 2', 2, /^--density cannot be combined/],
    ['a.png -n --png-mode lossless', 2, /^--png-mode was removed; use the quality "lossless"/],
    ['a.png -n --max-bytes 0', 2, /It must be a size/],
    ['- a.png', 2, /- stands for a single image/],
    ['- --in-place', 2, /Leave them out/],
    ['missing.png -o x/', 1, /missing\.png: There is no such file/],
    ['x*.png -o x/', 1, /No file matches/],
    ['link.png -o x/', 1, /symbolic link\. Name the file/],
    ['words.png -o x/', 1, /or AVIF, judging by its first bytes\. Save it as a JPG/],
    ['empty.jpg -o x/', 1, /^empty\.jpg: The image file is empty\. Export it again/],
    ['half.jpg -o x/', 1, /cannot be decoded.*Export it again/],
    ['a.png -o taken/', 1, /There is a folder with this name/],
    ['a.png -o words.png/x.png', 1, /There is a file where a folder is needed/],
    ['sub -o half.jpg', 1, /^half\.jpg: There is a file where a folder is needed.*-o\.\n$/],
    ['a.png sub/a.png -o x', 1, /a\.png and sub\/a\.png would both be written to x\/a\.png/],
    ['a.png -o loop/x.png', 1, /^loop\/x\.png: .* links in this path\. Choose another output/],
    ['a.png -o .', 1, /a\.png would be overwritten.*--in-place/],
  ])('%s ends with %i', async (args, status, message) => {
    const before = place.files();
    const { stderr } = expectEnd(await compress(args), status, message);
    expect(stderr).not.toMatch(/at .*\.js:\d/);
    expect(place.files()).toEqual(before);
  });

  it('--json has an object for each failure, and the others are done', async () => {
    place.put('large.png', graphicPng(400, 100));
    const failures = {
      'words.png': 'unsupported_media_type',
      'missing.png': 'ENOENT',
      'half.jpg': 'undecodable_image',
      'large.png': 'too_many_pixels',
      'link.png': 'symbolic_link',
    };
    const names = [...Object.keys(failures), 'a.png'];
    const env = { MAX_PIXELS_MP: '0.03' };
    const { status, stdout, stderr } = await compress(`${names.join(' ')} -o out --json`, env);
    expect([status, stderr]).toEqual([1, '5 of 6 could not be compressed.\n']);
    const lines = jsonLines(stdout);
    const errors = lines.flatMap(({ input, error }) => (error === undefined ? [] : [[input, error]]));
    expect(Object.fromEntries(errors)).toEqual(failures);
    const message = 'There is no such file or folder. Check the name.';
    expect(lines).toContainEqual({ input: 'missing.png', error: 'ENOENT', message });
    expect(place.files('out')).toEqual(['a.png']);
  });

  // /proc takes no new files or folders, also not from root.
  onLinux.each([
    ['sub -o /proc/nope/deeper', '/proc/nope/deeper/a.png'],
    ['a.png -o /proc/x.png', '/proc/x.png'],
    ['- -o /proc/nope/x.png', '/proc/nope/x.png'],
  ])('%s names the output that cannot be written, and ends', (args, output) => {
    const limits = { input: graphic, timeout: 120_000 };
    const rest = '(Nothing can be created here|Access is denied).* (C|or c)hoose another output with -o\\.\n';
    expectEnd(place.run(['compress', ...args.split(' ')], limits), 1, new RegExp(`^${output}: ${rest}`));
  });

  const isRoot = process.getuid?.() === 0;
  (isRoot ? it : it.skip)('names missing permissions', () => {
    chmodSync(place.path('a.png'), 0o600);
    chmodSync(place.folder, 0o755);
    const nobody = { uid: 65_534, gid: 65_534 };
    const canRead = spawnSync(process.execPath, ['-e', `require('fs').readdirSync('${__dirname}')`], nobody);
    if (canRead.status !== 0) return console.warn('SKIPPED: nobody may read this checkout.');
    expect(place.run(['compress', 'a.png', '-n'], nobody).stderr).toMatch(/Access is denied/);
    expect(place.run(['compress', 'sub/a.png', '-o', 'x.png'], nobody).stderr).toBe(
      'x.png: Access is denied. Check the permissions of the folder, or choose another output with -o.\n1 of 1 could not be compressed.\n',
    );
  });
});
