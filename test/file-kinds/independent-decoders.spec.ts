/** WebP and AVIF uploads as other encoders write them, and results as other decoders see them: libwebp's, libavif's and libheif's programs. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import sharp from 'sharp';
import { TAG } from '../../src/compression/formats/exif';
import { asciiField, writeTiff } from '../../src/compression/formats/tiff';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { refusal } from '../support/compressing';
import { temporaryFolder } from '../support/folders';
import { difference, painted, photoPixels, rawImage, samplesOf, type DecodedImage } from '../support/images';
import { greyOfGamma } from '../support/icc-profiles';
import { hasPrograms } from '../support/services';
import { withEveryEngine } from './engines';
import { iccpChunk } from './png-parts';

const PROGRAMS = ['avifenc', 'cwebp', 'dwebp', 'webpmux', 'heif-convert'];
const folder = temporaryFolder();
const file = (name: string) => join(folder, name);
const run = (program: string, ...args: string[]) =>
  execFileSync(program, args, { cwd: folder, stdio: 'pipe' });
const WIDTH = 192;
const HEIGHT = 128;

/** Of the shown pixels, by a decoder that no engine uses. */
function decode(bytes: Uint8Array, format: string): DecodedImage {
  writeFileSync(file(`in.${format}`), bytes);
  if (format === 'webp') run('dwebp', '-quiet', 'in.webp', '-o', 'out.png');
  else run('heif-convert', `in.${format}`, 'out.png');
  return PNG.sync.read(readFileSync(file('out.png')));
}

/** Options of avifenc besides a high quality, and what the service names as removed. */
const AVIFS: Readonly<
  Record<string, readonly [options: string, source?: string, removed?: readonly string[]]>
> = {
  'turned anticlockwise': ['--irot 1'],
  'turned twice and mirrored': ['--irot 2 --imir 1'],
  'turned and mirrored from top to bottom': ['--irot 3 --imir 0'],
  'cut out': ['--clap 100,1,60,1,10,1,-4,1'],
  'in ten bits': ['-d 10', 'opaque', ['bit-depth']],
  'in twelve bits': ['-d 12', 'opaque', ['bit-depth']],
  'of half the chroma': ['--yuv 420'],
  'in grey': ['--yuv 400'],
  'of P3 by codes': ['--cicp 12/13/6'],
  'of tiles': ['--grid 3x2'],
  transparent: ['', 'clear'],
};

const testWithPrograms = hasPrograms(...PROGRAMS) ? it : it.skip;

beforeAll(async () => {
  if (!hasPrograms(...PROGRAMS)) return;
  const photo = rawImage(photoPixels(WIDTH, HEIGHT));
  writeFileSync(file('opaque.png'), await photo.clone().png().toBuffer());
  writeFileSync(file('clear.png'), await photo.clone().ensureAlpha(0.4).png().toBuffer());
  writeFileSync(file('large.png'), await rawImage(photoPixels(384, 256)).png().toBuffer());
});

function avif(options: string, source = 'opaque'): Buffer {
  const name = options.includes('grid') ? 'large' : source;
  const all = ['--min', '2', '--max', '6', '-s', '8', ...options.split(' ').filter(Boolean)];
  run('avifenc', ...all, `${name}.png`, 'made.avif');
  return readFileSync(file('made.avif'));
}

/** The same file, with its colours in the AV1 data only. */
function withoutCodes(made: Buffer) {
  const at = made.indexOf('colrnclx', 0, 'latin1');
  expect(at).toBeGreaterThan(0);
  made.write('free', at, 'latin1');
  return made;
}

withEveryEngine((compress) => {
  testWithPrograms.each(Object.entries(AVIFS))(
    'an AVIF %s is shown the same',
    async (_, [options, source, removed]) => {
      const upload = avif(options, source);
      const { bytes, report } = await compress(upload);
      expect([report.format, report.skipReason, report.removed]).toEqual(['avif', undefined, removed]);
      expect(bytes.length).toBeLessThan(upload.length);
      const [before, after] = [upload, bytes].map((one) => decode(one, 'avif'));
      expect(difference(before, after)).toBeLessThan(6);
      expect(report.dimensions).toEqual({ width: after.width, height: after.height });
    },
  );

  testWithPrograms('grey of video, from 16 to 235, becomes black and white', async () => {
    const ramp = painted(256, 16, 1, (x) => x);
    writeFileSync(file('ramp.png'), await rawImage(ramp).png().toBuffer());
    const made = [8, 10].map((depth) => avif(`--yuv 400 --range limited -d ${depth}`, 'ramp'));
    for (const upload of [...made, withoutCodes(Buffer.from(made[0]))]) {
      const { bytes } = await compress(upload, { FORMAT: 'png' });
      const { data } = await samplesOf(sharp(bytes).toColourspace('b-w'));
      expect(Math.max(...data.map((value, i) => Math.abs(value - ramp.data[i])))).toBeLessThan(6);
    }
  });

  testWithPrograms.each(['--irot 1', '--irot 3 --imir 0', '--clap 100,1,60,1,10,1,-4,1'])(
    'alpha is turned and cut as its image is: %s',
    async (options) => {
      // avifenc writes these properties for the colours only. Each sample is as large as its alpha.
      const ramp = rawImage(painted(WIDTH, HEIGHT, 4, (x, y) => 32 + x + (y >> 2)));
      writeFileSync(file('both.png'), await ramp.png().toBuffer());
      const { bytes } = await compress(avif(`${options} --minalpha 0 --maxalpha 0`, 'both'), {
        FORMAT: 'png',
      });
      const shown = PNG.sync.read(bytes).data;
      const apart = shown.map((value, i) => Math.abs(value - shown[i | 3]));
      expect(Math.max(...apart)).toBeLessThan(8);
    },
  );

  testWithPrograms('an odd place to cut does not change the range of video', async () => {
    const upload = avif('--yuv 420 --range limited --clap 100,1,60,1,10,1,-4,1');
    // avifenc writes even places only: 9 instead of 10 to the right of the middle.
    upload[upload.indexOf('clap', 0, 'latin1') + 23] = 9;
    const { bytes } = await compress(upload);
    const part = sharp(file('opaque.png')).extract({ left: 55, top: 30, width: 100, height: 60 });
    expect(difference(await samplesOf(part), decode(bytes, 'avif'))).toBeLessThan(4);
  });

  testWithPrograms('a part to show outside of the image counts for nothing', async () => {
    const upload = avif('--clap 100,1,60,1,10,1,-4,1');
    upload[upload.indexOf('clap', 0, 'latin1') + 23] = 90;
    const { bytes } = await compress(upload);
    expect(difference(await samplesOf(sharp(file('opaque.png'))), decode(bytes, 'avif'))).toBeLessThan(6);
  });

  testWithPrograms('colours that only the AV1 data describe count', async () => {
    const { bytes } = await compress(withoutCodes(avif('--cicp 12/13/6')));
    expect((await sharp(bytes).metadata()).icc).toBeDefined();
    expect((await compress(withoutCodes(avif('--cicp 9/16/9 -d 10')))).report.skipReason).toBe('hdr');
  });

  testWithPrograms('a profile for grey belongs to a grey AVIF as to a PNG', async () => {
    const grey = rawImage(photoPixels(WIDTH, HEIGHT)).toColourspace('b-w').png();
    const png = withChunks(await grey.toBuffer(), [iccpChunk(greyOfGamma(1))]);
    writeFileSync(file('profiled.png'), png);
    const [expected, found] = await Promise.all(
      [png, avif('--yuv 400', 'profiled')].map(async (upload) => {
        const { bytes } = await compress(upload, { FORMAT: 'jpeg' });
        return samplesOf(sharp(bytes).toColourspace('b-w'));
      }),
    );
    expect(difference(found, expected)).toBeLessThan(4);
  });

  testWithPrograms('an AVIF whose colours are multiplied by alpha is shown the same', async () => {
    const { bytes } = await compress(avif('--premultiply', 'clear'));
    // heif-convert does not divide them.
    const shown = await samplesOf(sharp(file('clear.png')));
    expect(difference(shown, decode(bytes, 'avif'))).toBeLessThan(8);
  });

  testWithPrograms('HDR and sequences come back as they are', async () => {
    const hdr = avif('--cicp 9/16/9 -d 10');
    expect((await compress(hdr)).report.skipReason).toBe('hdr');
    writeFileSync(file('exif.bin'), writeTiff([asciiField(TAG.make, 'Ann')]));
    run('avifenc', '-s', '8', '--exif', 'exif.bin', 'opaque.png', 'opaque.png', 'sequence.avif');
    const sequence = readFileSync(file('sequence.avif'));
    const { bytes: same, report } = await compress(sequence, { KEEP_METADATA: 'all' });
    expect([report.skipReason, Buffer.compare(same, sequence)]).toEqual(['animated', 0]);
    // Metadata are overwritten: without them, the frames would lie elsewhere than the file says.
    const { bytes } = await compress(sequence);
    expect([bytes.length, bytes.includes('Ann')]).toEqual([sequence.length, false]);
    const [shown, expected] = [bytes, sequence].map((avif) => {
      writeFileSync(file('shown.avif'), avif);
      run('avifdec', 'shown.avif', 'shown.png');
      return readFileSync(file('shown.png'));
    });
    expect(difference(shown, expected)).toBe(0);
    expect((await refusal(compress(sequence, { FORMAT: 'jpeg' }))).reason).toBe('animation');
  });

  testWithPrograms.each(['-q 95', '-q 95 -alpha_q 60', '-lossless'])(
    'a WebP by cwebp %s is shown the same',
    async (options) => {
      const source = options.includes('alpha') ? 'clear' : 'opaque';
      run('cwebp', '-quiet', ...options.split(' '), `${source}.png`, '-o', 'made.webp');
      const upload = readFileSync(file('made.webp'));
      const { bytes, report } = await compress(upload);
      expect([report.format, report.skipReason]).toEqual(['webp', undefined]);
      expect(difference(decode(upload, 'webp'), decode(bytes, 'webp'))).toBeLessThan(6);
      writeFileSync(file('result.webp'), bytes);
      expect(run('webpmux', '-info', 'result.webp').toString()).toContain('Canvas size: 192 x 128');
    },
  );

  testWithPrograms('an animation by webpmux comes back as it is', async () => {
    run('cwebp', '-quiet', 'opaque.png', '-o', 'frame.webp');
    run('webpmux', '-frame', 'frame.webp', '+100', '-frame', 'frame.webp', '+100', '-o', 'animated.webp');
    const { report } = await compress(readFileSync(file('animated.webp')));
    expect(report.skipReason).toBe('animated');
  });
});
