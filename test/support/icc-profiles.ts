/** ICC profiles (ICC.1:2010, version 2) made in code: matrix profiles of RGB, and grey ones. */
import sharp from 'sharp';
import { uint16s, uint32s } from '../../src/compression/formats/bytes';
import { latin1 } from './phone-files';

type Tag = readonly [name: string, data: Buffer];

/** XYZ of the white of all profiles: D50. */
const WHITE = [0.9642, 1, 0.8249];

const DESCRIPTION = latin1('desc\0\0\0\0\0\0\0\x10made for a test'.padEnd(108, '\0'));

/** XYZ of the primaries, adapted to D50. */
const PRIMARIES = {
  adobeRgb: [
    [0.60974, 0.31111, 0.01947],
    [0.20528, 0.62567, 0.06087],
    [0.14919, 0.06322, 0.74457],
  ],
  proPhoto: [
    [0.7977, 0.288, 0],
    [0.1352, 0.7119, 0],
    [0.0313, 0.0001, 0.8249],
  ],
  sRgb: [
    [0.4361, 0.2225, 0.0139],
    [0.3851, 0.7169, 0.0971],
    [0.1431, 0.0606, 0.7141],
  ],
} as const;

export const adobeRgb = () => rgbProfile(PRIMARIES.adobeRgb, 563 / 256);
export const proPhoto = () => rgbProfile(PRIMARIES.proPhoto, 1.8);
/** Swaps red and green, which is obvious if the profile is lost. */
export const swappedChannels = () => {
  const [red, green, blue] = PRIMARIES.sRgb;
  return rgbProfile([green, red, blue], 2.2);
};
export const linearRgb = () => rgbProfile(PRIMARIES.sRgb, 1);
/** As only a lookup table says, the mean of the samples is lightness, and their differences are a* and b*. */
export const lookupTable = (tag = 'A2B0') => {
  const profile = profileOf('RGB ', [
    ['wtpt', xyz(WHITE)],
    [tag, tableToLab()],
  ]);
  profile.write('Lab ', 20, 'latin1');
  return profile;
};
/** Chromium reads its table, Little CMS does not. */
export const otherLookupTable = () => lookupTable('A2B1');
export const greyOfGamma = (gamma: number) =>
  profileOf('GRAY', [
    ['wtpt', xyz(WHITE)],
    ['kTRC', curve(gamma)],
  ]);

/** The same, but its curve leads to lightness (L*) instead of light. */
export const greyToLightness = (gamma: number) => {
  const profile = greyOfGamma(gamma);
  profile.write('Lab ', 20, 'latin1');
  return profile;
};
/** Its samples are Lab; the table is empty. */
export const labProfile = () => profileOf('Lab ', [['A2B0', Buffer.alloc(48)]]);

/** A tag that names a curve of ITU-T H.273 and the primaries of BT.709. */
const cicpOf = (transfer: number) => Buffer.of(0x63, 0x69, 0x63, 0x70, 0, 0, 0, 0, 1, transfer, 0, 1);
export const linearNaming = (transfer: number) => rgbProfile(PRIMARIES.sRgb, 1, [['cicp', cicpOf(transfer)]]);
export const srgbNaming = (transfer: number) => {
  const parameters = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];
  const srgbCurve = Buffer.concat([latin1('para\0\0\0\0'), uint16s(3, 0), fixed(parameters)]);
  return rgbProfile(PRIMARIES.sRgb, srgbCurve, [['cicp', cicpOf(transfer)]]);
};

/** A profile as libvips writes it. */
export async function builtIn(name: 'srgb' | 'p3'): Promise<Buffer> {
  const image = sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } });
  const { icc } = await sharp(await image.withIccProfile(name).jpeg().toBuffer()).metadata();
  return icc!;
}

function rgbProfile(
  primaries: readonly (readonly number[])[],
  gamma: number | Buffer,
  more: readonly Tag[] = [],
): Buffer {
  const names = ['r', 'g', 'b'];
  const tones = typeof gamma === 'number' ? curve(gamma) : gamma;
  return profileOf('RGB ', [
    ['wtpt', xyz(WHITE)],
    ...names.map((name, i): Tag => [`${name}XYZ`, xyz(primaries[i])]),
    ...names.map((name): Tag => [`${name}TRC`, tones]),
    ...more,
  ]);
}

function profileOf(space: string, tags: readonly Tag[]): Buffer {
  const all: readonly Tag[] = [['desc', DESCRIPTION], ['cprt', latin1('text\0\0\0\0none\0\0\0\0')], ...tags];
  const table = [uint32s(all.length)];
  let at = 128 + 4 + all.length * 12;
  for (const [name, data] of all) {
    table.push(latin1(name), uint32s(at, data.length));
    at += data.length;
  }
  const header = Buffer.alloc(128);
  header.set(uint32s(at, 0, 0x02100000));
  header.write(`mntr${space}XYZ `, 12, 'latin1');
  header.write('acsp', 36, 'latin1');
  header.set(fixed(WHITE), 68);
  return Buffer.concat([header, ...table, ...all.map(([, data]) => data)]);
}

/** Numbers in steps of 1/65536. */
const fixed = (values: readonly number[]) => uint32s(...values.map((value) => Math.round(value * 65536)));

/** An `mft2` tag of eight corners (ICC.1:2010, 10.8 and 6.3.4.2). */
function tableToLab(): Buffer {
  const head = [latin1('mft2\0\0\0\0\x03\x03\x02\0'), fixed([1, 0, 0, 0, 1, 0, 0, 0, 1]), uint16s(2, 2)];
  const straight = [0, 65535, 0, 65535, 0, 65535];
  const corners = Array.from({ length: 8 }, (_, i) => {
    const [r, g, b] = [i >> 2, (i >> 1) & 1, i & 1];
    return [((r + g + b) / 3) * 65280, 32768 + (g - r) * 12000, 32768 + (g - b) * 12000];
  });
  return Buffer.concat([...head, uint16s(...straight, ...corners.flat().map(Math.round), ...straight)]);
}

function xyz(values: readonly number[]): Buffer {
  return Buffer.concat([latin1('XYZ \0\0\0\0'), fixed(values)]);
}

/** A plain power, in steps of 1/256; padded to four bytes. */
function curve(gamma: number): Buffer {
  return Buffer.concat([latin1('curv'), uint32s(0, 1), uint16s(Math.round(gamma * 256), 0)]);
}
