/** Requirements for a package that reads uploads, on files of its author: the kit cannot write them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { extensionOf } from '../../src/contract/formats';
import { ImageRefused } from '../../src/contract/image-problems';
import { MEBIBYTE } from '../../src/contract/units';
import type {
  DecodedUpload,
  UploadReader,
  UploadSize,
} from '../../src/compression/application/result-format.port';
import type { Pixels } from '../../src/compression/domain/pixels';
import { readOrientation } from '../../src/compression/formats/exif';
import { readColourSpace } from '../../src/compression/formats/icc-profile';
import type { FormatManifest } from '../../src/compression/packages/manifest';
import { difference, randomNumbers } from '../support/images';
import { equal, sizeOf, type Checks } from './checks';
import { CLOSE } from './format-checks';
import { bytesNow, peakBytes } from './measure';

interface Sample {
  readonly name: string;
  readonly path: string;
  readonly bytes: Buffer;
  readonly size: UploadSize;
}

export interface Uploads {
  readonly upload: UploadReader;
  readonly manifest: FormatManifest;
  readonly samples: readonly Sample[];
}

/** The largest memory and processor time of reading a header. */
const [HEADER_MEGABYTES, HEADER_MS] = [64, 1000];
const HEADER_BYTES = 65_536;
/** Shows how memory grows: a smaller file fits into what the start of a process has left. */
const LARGE_PIXELS = 4_000_000;
const DAMAGED_FILES = 200;

/** Returns the smallest first. @throws Error when the folder has no files of the format */
export async function readSamples(upload: UploadReader, { extensions }: FormatManifest, folder: string) {
  if (folder === '') throw new Error('it reads uploads: name a folder of its files with --files');
  const names = readdirSync(folder).filter((name) => extensions.includes(extensionOf(name)));
  if (names.length === 0) throw new Error(`${folder} has no file named *.${extensions.join(', *.')}`);
  const samples = names.map(async (name): Promise<Sample> => {
    const path = join(folder, name);
    const bytes = readFileSync(path);
    return { name, path, bytes, size: await upload.dimensions(bytes) };
  });
  return (await Promise.all(samples)).sort((a, b) => pixelsIn(a) - pixelsIn(b));
}

const pixelsIn = ({ size: { width, height } }: Sample) => width * height;

function stillsOf({ samples }: Uploads) {
  const stills = samples.filter(({ size }) => !size.isAnimated);
  assert.ok(stills.length > 0, 'no file is a still image');
  return stills;
}

/** Undefined if it is refused. Fails without a sentence about the file, and if the pixels have another size than the header says. */
async function read({ upload }: Uploads, bytes: Buffer, maxPixels = Infinity) {
  try {
    const size = await upload.dimensions(bytes);
    const isLeft = size.isAnimated || size.width * size.height > maxPixels;
    return isLeft ? undefined : await upload.decode(bytes, size);
  } catch (error) {
    if (!(error instanceof ImageRefused)) throw error;
    const { fault = 'the pixels have another size than the header says' } = error;
    const isSentence =
      / throws: .*\w \w/.test(fault) && !/propert|not a function|bounds|range|array/i.test(fault);
    assert.ok(isSentence, `${fault}: throw an Error that says what is wrong with the file`);
    return undefined;
  }
}

/** Copies whose header declares the largest size: in place of two numbers side by side that are the size, in binary or as text. */
function* withLargestSize({ bytes, size: { width, height } }: Sample): Generator<Buffer> {
  const header = bytes.toString('latin1', 0, HEADER_BYTES);
  for (const sides of [
    [width, height],
    [height, width],
  ]) {
    for (const Numbers of [Uint32Array, Uint16Array]) {
      const wanted = Buffer.from(Numbers.from(sides).buffer);
      const swapped = Buffer.from(wanted)[Numbers === Uint32Array ? 'swap32' : 'swap16']();
      for (const at of [wanted, swapped].map((each) => header.indexOf(each.toString('latin1'))))
        if (at >= 0) yield Buffer.from(bytes).fill(0xff, at, at + wanted.length);
    }
    const text = header.replace(new RegExp(`\\b${sides.join('(\\s+)')}\\b`), '4294967295$14294967295');
    if (text !== header) yield Buffer.concat([Buffer.from(text, 'latin1'), bytes.subarray(HEADER_BYTES)]);
  }
}

export const UPLOAD_CHECKS: Checks<Uploads> = {
  async 'a header is read without pixels, also if it declares the largest size'({ upload, samples }) {
    const largest = samples.flatMap((sample) => [...withLargestSize(sample)]);
    const files = [...samples.map(({ bytes }) => bytes), ...largest];
    const [before, start] = [bytesNow(), process.cpuUsage()];
    for (const bytes of files)
      await upload.dimensions(bytes).catch((error: unknown) => assert.ok(error instanceof ImageRefused));
    const ms = process.cpuUsage(start).user / 1000 / files.length;
    const megabytes = Math.round((peakBytes() - before) / MEBIBYTE);
    assert.ok(megabytes < HEADER_MEGABYTES, `takes ${megabytes} MB`);
    assert.ok(ms < HEADER_MS, `takes ${Math.round(ms)} ms of processor time`);
    return largest.length > 0 ? undefined : 'the kit finds no size in a header';
  },
  async 'the pixels have the size of the header, and those of the PNG of the same name'(uploads) {
    let compared = 0;
    for (const { name, path, bytes, size } of stillsOf(uploads)) {
      const decoded = await uploads.upload.decode(bytes, size);
      assert.deepEqual(sizeOf(decoded), sizeOf(size), name);
      const png = path.replace(/\.[^.]*$/, '.png');
      if (!existsSync(png)) continue;
      compared++;
      const off = difference(inEightBits(decoded), readFileSync(png));
      assert.ok(off < CLOSE, `${name}: the difference to its PNG is ${off.toFixed(2)} of 255`);
    }
    return compared > 0 ? undefined : 'no file has one, so nobody compares pixels, rotation and alpha';
  },
  async 'EXIF is a TIFF block that says upright, XMP is text, and a profile fits the channels'(uploads) {
    const lacking = new Set(['EXIF', 'XMP', 'a profile']);
    for (const { name, bytes, size } of stillsOf(uploads)) {
      const { exif, xmp, icc, channels } = await uploads.upload.decode(bytes, size);
      if (exif) {
        assert.match(Buffer.from(exif).toString('latin1', 0, 4), /^(II\*\0|MM\0\*)$/, `${name}: EXIF`);
        assert.equal(readOrientation(exif), 1, `${name}: turn the pixels, and say so in EXIF`);
        lacking.delete('EXIF');
      }
      if (xmp) assert.match(Buffer.from(xmp).toString(), /<(x:xmpmeta|rdf:RDF|\?xpacket)/, `${name}: XMP`);
      if (xmp) lacking.delete('XMP');
      if (icc) assert.equal(readColourSpace(icc), channels < 3 ? 'GRAY' : 'RGB ', `${name}: the profile`);
      if (icc) lacking.delete('a profile');
    }
    return lacking.size === 0 ? undefined : `no file has ${[...lacking].join(', ')}`;
  },
  async 'the same file gives the same pixels, whatever was read before or meanwhile'(uploads) {
    const stills = stillsOf(uploads).slice(0, 4);
    const decoded = async ({ bytes, size }: Sample) => samplesOf(await uploads.upload.decode(bytes, size));
    const first: Uint8Array[] = [];
    const kept: Uint8Array[] = [];
    for (const still of stills) kept.push(first[first.push(await decoded(still)) - 1].slice());
    const again = await Promise.all(stills.map(decoded));
    [...first, ...again].forEach((samples, i) => {
      const at = i % stills.length;
      equal(samples, kept[at], `${stills[at].name}: other pixels than before`);
    });
  },
  async 'a file that is cut off is refused, or is the same without its end'(uploads) {
    const [{ bytes, size, name }] = stillsOf(uploads);
    const whole = await uploads.upload.decode(bytes, size);
    for (let share = 0; share <= 20; share++) {
      const length = Math.min(Math.floor((bytes.length * share) / 20), bytes.length - 1);
      const cut = await read(uploads, bytes.subarray(0, length));
      equal(
        samplesOf(cut ?? whole),
        samplesOf(whole),
        `${name}, its first ${length} of ${bytes.length} bytes`,
      );
    }
  },
  async 'a damaged file is refused with a sentence, or has the size of its header'(uploads) {
    const random = randomNumbers(6);
    const [smallest] = stillsOf(uploads);
    for (let i = 0; i < DAMAGED_FILES; i++) {
      const damaged = Buffer.from(smallest.bytes);
      const end = i % 2 ? damaged.length : Math.min(damaged.length, 1024);
      for (let left = 1 + (i % 3); left > 0; left--) damaged[Math.floor(random() * end)] = random() * 256;
      await read(uploads, damaged, pixelsIn(smallest) + LARGE_PIXELS);
    }
    assert.ok(await read(uploads, smallest.bytes), `${smallest.name} is refused afterwards`);
  },
};

/** As bytes, whatever the depth. */
function samplesOf({ data }: DecodedUpload) {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function inEightBits({ width, height, channels, data }: DecodedUpload): Pixels {
  const step = data instanceof Uint8Array ? 1 : 257;
  return { width, height, channels, data: Uint8Array.from(data, (value) => value / step) };
}

/** The growth of fresh processes by the smallest and the largest file. */
export function measureUploads(uploads: Uploads, path: string) {
  const stills = stillsOf(uploads);
  const [small, large] = [stills[0], stills[stills.length - 1]];
  assert.ok(pixelsIn(large) >= LARGE_PIXELS, `no file has ${LARGE_PIXELS / 1e6} megapixels or more`);
  const [least, most] = [small, large].map(({ path: file }) => {
    const args = [process.argv[1], path, '', file, 'measure'];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal(status, 0, `${file} ends a process that reads only it`);
    return Number(stdout);
  });
  const base = pixelsIn(small) < pixelsIn(large) / 16 ? Math.min(least, most) : 0;
  return {
    bytesPerPixel: Math.ceil((most - base) / pixelsIn(large)),
    baseMegabytes: Math.ceil(base / MEBIBYTE / 10) * 10,
  };
}

/** Prints by how many bytes a file makes this process grow. */
export async function measureUpload(upload: UploadReader, file: string) {
  const [before, bytes] = [bytesNow(), readFileSync(file)];
  await upload.decode(bytes, await upload.dimensions(bytes));
  process.stdout.write(String(peakBytes() - before));
  process.exitCode = 0;
}
