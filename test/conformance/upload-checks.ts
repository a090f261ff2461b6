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
import { readOrientation } from '../../src/compression/formats/exif';
import { readColourSpace } from '../../src/compression/formats/icc-profile';
import type { FormatManifest } from '../../src/compression/packages/manifest';
import { decodeIndependently, difference, randomNumbers } from '../support/images';
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

/** The largest memory and processor time of reading headers, and the start of a file that has them. */
const HEADER = { megabytes: 64, ms: 1000, bytes: 65_536 };
/** A sample that shows how memory grows: smaller ones fit into what the start of a process has left. */
const LARGE_PIXELS = 4_000_000;
/** Of this many large samples, memory is measured. */
const MEASURED = 3;
const DAMAGED_FILES = 200;

/** @throws Error when the folder has no files of the format */
export async function readSamples(upload: UploadReader, { extensions }: FormatManifest, folder = '') {
  if (folder === '') throw new Error('it reads uploads: name a folder of its files with --files');
  const names = readdirSync(folder).filter((name) => extensions.includes(extensionOf(name)));
  if (names.length === 0) throw new Error(`${folder} has no file named *.${extensions.join(', *.')}`);
  return Promise.all(
    names.sort().map(async (name): Promise<Sample> => {
      const path = join(folder, name);
      const bytes = readFileSync(path);
      return { name, path, bytes, size: await upload.dimensions(bytes) };
    }),
  );
}

const pixelsOf = ({ size: { width, height } }: Sample) => width * height;

function stillsOf({ samples }: Uploads): Sample[] {
  const stills = samples.filter(({ size }) => !size.isAnimated).sort((a, b) => pixelsOf(a) - pixelsOf(b));
  assert.ok(stills.length > 0, 'no file is a still image');
  return stills;
}

/** Undefined if it is refused. Fails without a sentence about the file, and if the pixels have another size than the header says. */
async function read({ upload }: Uploads, bytes: Buffer, maxPixels = Infinity) {
  try {
    const size: Sample['size'] = await upload.dimensions(bytes);
    const isLeft = size.isAnimated === true || size.width * size.height > maxPixels;
    return isLeft ? undefined : await upload.decode(bytes, size);
  } catch (error) {
    if (!(error instanceof ImageRefused)) throw error;
    const fault = error.fault ?? 'the pixels have another size than the header says';
    const isSentence =
      / throws: .*\w \w/.test(fault) && !/propert|not a function|bounds|range|typed array/i.test(fault);
    assert.ok(isSentence, `${fault}: throw an Error that says what is wrong with the file`);
    return undefined;
  }
}

/** Copies whose header declares the largest size: two numbers side by side that are the size, in binary or as text. */
function* withLargestSize({ bytes, size: { width, height } }: Sample): Generator<Buffer> {
  for (const sides of [
    [width, height],
    [height, width],
  ]) {
    for (const [length, write] of [
      [4, 'writeUInt32BE'],
      [4, 'writeUInt32LE'],
      [2, 'writeUInt16BE'],
      [2, 'writeUInt16LE'],
    ] as const) {
      const [wanted, at] = [Buffer.alloc(2 * length), () => bytes.subarray(0, HEADER.bytes).indexOf(wanted)];
      if (Math.max(width, height) >= 256 ** length) continue;
      sides.forEach((side, i) => wanted[write](side, i * length));
      if (at() >= 0) yield Buffer.from(bytes).fill(0xff, at(), at() + wanted.length);
    }
    const text = bytes.toString('latin1', 0, HEADER.bytes);
    const larger = text.replace(new RegExp(`\\b${sides.join('(\\s+)')}\\b`), '4294967295$14294967295');
    if (larger !== text) yield Buffer.concat([Buffer.from(larger, 'latin1'), bytes.subarray(HEADER.bytes)]);
  }
}

const noneHas = (what: string, has: boolean) => (has ? undefined : `no file has ${what}`);

export const UPLOAD_CHECKS: Checks<Uploads> = {
  async 'a header is read without pixels, also if it declares the largest size'({ upload, samples }) {
    const largest = samples.flatMap((sample) => [...withLargestSize(sample)]);
    const [before, start] = [bytesNow(), process.cpuUsage()];
    const files = [...samples.map(({ bytes }) => bytes), ...largest];
    for (const bytes of files)
      await upload.dimensions(bytes).catch((error: unknown) => assert.ok(error instanceof ImageRefused));
    const { user } = process.cpuUsage(start);
    const megabytes = (peakBytes() - before) / MEBIBYTE;
    assert.ok(megabytes < HEADER.megabytes, `takes ${Math.round(megabytes)} MB`);
    assert.ok(
      user / 1000 < HEADER.ms * files.length,
      `takes ${Math.round(user / 1000)} ms of processor time`,
    );
    return noneHas('a size in its header that the kit finds', largest.length > 0);
  },
  async 'the pixels have the size of the header, and those of the PNG of the same name'(uploads) {
    let compared = 0;
    for (const sample of stillsOf(uploads)) {
      const decoded = await uploads.upload.decode(sample.bytes, sample.size);
      assert.deepEqual(sizeOf(decoded), sizeOf(sample.size), sample.name);
      const png = sample.path.replace(/\.[^.]*$/, '.png');
      if (!existsSync(png)) continue;
      compared++;
      const off = difference(shownOf(decoded), decodeIndependently(readFileSync(png)));
      assert.ok(off < CLOSE, `${sample.name}: the difference to its PNG is ${off.toFixed(2)} of 255`);
    }
    return noneHas('a PNG beside it, so nobody compares pixels, rotation and alpha', compared > 0);
  },
  async 'EXIF is a TIFF block that says upright, XMP is text'(uploads) {
    const found = await decodedOf(uploads);
    for (const { name, exif, xmp } of found) {
      if (exif)
        assert.match(Buffer.from(exif).toString('latin1', 0, 4), /^(II\*\0|MM\0\*)$/, `${name}: EXIF`);
      if (exif) assert.equal(readOrientation(exif), 1, `${name}: turn the pixels, and say so in EXIF`);
      if (xmp) assert.match(Buffer.from(xmp).toString(), /<(x:xmpmeta|rdf:RDF|\?xpacket)/, `${name}: XMP`);
    }
    return noneHas(
      'EXIF or XMP',
      found.some(({ exif, xmp }) => exif ?? xmp),
    );
  },
  async 'a profile fits the channels'(uploads) {
    const found = (await decodedOf(uploads)).filter(({ icc }) => icc);
    for (const { name, icc, channels } of found)
      assert.equal(icc && readColourSpace(icc), channels < 3 ? 'GRAY' : 'RGB ', `${name}: the profile`);
    return noneHas('a profile', found.length > 0);
  },
  async 'the same file gives the same pixels, whatever was read before or meanwhile'(uploads) {
    const stills = stillsOf(uploads).slice(0, 4);
    const decode = ({ bytes, size }: Sample) => uploads.upload.decode(bytes, size);
    const first: Uint8Array[] = [];
    for (const still of stills) first.push(samplesOf(await decode(still)));
    const kept = first.map((data) => data.slice());
    const again = await Promise.all([...stills].reverse().map(decode));
    again
      .reverse()
      .forEach((image, i) => equal(samplesOf(image), kept[i], `${stills[i].name}: other pixels than before`));
    first.forEach((data, i) => equal(data, kept[i], `${stills[i].name}: changed by another file`));
  },
  async 'a file that is cut off is refused, or is the same without its end'(uploads) {
    const [{ bytes, size, name }] = stillsOf(uploads);
    const whole = await uploads.upload.decode(bytes, size);
    const shares = Array.from({ length: 20 }, (_, i) => Math.floor((bytes.length * i) / 20));
    for (const length of [...shares, bytes.length - 1]) {
      const cut = await read(uploads, bytes.subarray(0, length));
      if (cut)
        equal(samplesOf(cut), samplesOf(whole), `${name}, its first ${length} of ${bytes.length} bytes`);
    }
  },
  async 'a damaged file is refused with a sentence, or has the size of its header'(uploads) {
    const random = randomNumbers(6);
    const [smallest] = stillsOf(uploads);
    for (let i = 0; i < DAMAGED_FILES; i++) {
      const damaged = Buffer.from(smallest.bytes);
      const end = i % 2 ? damaged.length : Math.min(damaged.length, 1024);
      for (let left = 1 + (i % 3); left > 0; left--) damaged[Math.floor(random() * end)] = random() * 256;
      await read(uploads, damaged, 4 * pixelsOf(smallest) + LARGE_PIXELS);
    }
    assert.ok(await read(uploads, smallest.bytes), `${smallest.name} is refused afterwards`);
  },
};

const decodedOf = (uploads: Uploads) =>
  Promise.all(
    stillsOf(uploads).map(async ({ name, bytes, size }) => ({
      name,
      ...(await uploads.upload.decode(bytes, size)),
    })),
  );

/** As bytes, whatever the depth. */
function samplesOf({ data }: DecodedUpload): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

function shownOf({ width, height, channels, data }: DecodedUpload) {
  const step = data instanceof Uint8Array ? 1 : 257;
  return { width, height, channels, data: Uint8Array.from(data, (value) => value / step) };
}

/** Fresh processes: the growth of their memory by each file, as `measureUpload` prints it. */
export function measureUploads(uploads: Uploads, path: string) {
  const large = stillsOf(uploads).filter((sample) => pixelsOf(sample) >= LARGE_PIXELS);
  assert.ok(large.length > 0, `no file has ${LARGE_PIXELS / 1e6} megapixels or more`);
  const stills = [...new Set([stillsOf(uploads)[0], ...large.slice(-MEASURED)])];
  const growth = stills.map(({ path: file }) => {
    const args = [process.argv[1], path, '', file, 'measure'];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.equal(status, 0, `${file} ends a process that reads only it`);
    return Number(stdout);
  });
  const pixels = stills.map(pixelsOf);
  // A small file grows by what the code takes; only large ones show the rest.
  const small = pixels[0] < LARGE_PIXELS / 4 ? growth[0] : 0;
  const slopes = growth.map((bytes, i) => (pixels[i] < LARGE_PIXELS ? 0 : (bytes - small) / pixels[i]));
  const bytesPerPixel = Math.max(0, ...slopes);
  const bases = growth.map((bytes, i) => bytes - pixels[i] * bytesPerPixel);
  return {
    bytesPerPixel: Math.ceil(bytesPerPixel),
    baseMegabytes: Math.ceil(Math.max(0, ...bases) / MEBIBYTE / 10) * 10,
  };
}

/** Prints by how many bytes a file makes this process grow. */
export async function measureUpload(upload: UploadReader, file: string): Promise<void> {
  const [before, bytes] = [bytesNow(), readFileSync(file)];
  await upload.decode(bytes, await upload.dimensions(bytes));
  process.stdout.write(String(peakBytes() - before));
  process.exitCode = 0;
}
