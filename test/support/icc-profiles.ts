/** ICC profiles (ICC.1:2010, version 2) made in code: matrix profiles of RGB, and grey ones. */
import sharp from 'sharp';

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
    ['wtpt', xyz([0.9642, 1, 0.8249])],
    [tag, tableToLab()],
  ]);
  profile.write('Lab ', 20, 'latin1');
  return profile;
};
/** Chromium reads its table, Little CMS does not. */
export const otherLookupTable = () => lookupTable('A2B1');
export const greyOfGamma = (gamma: number) =>
  profileOf('GRAY', [
    ['wtpt', xyz([0.9642, 1, 0.8249])],
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
  const srgbCurve = Buffer.alloc(32);
  srgbCurve.write('para', 'latin1');
  srgbCurve.writeUInt16BE(3, 8);
  const parameters = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045];
  parameters.forEach((value, i) => srgbCurve.writeInt32BE(Math.round(value * 65536), 12 + i * 4));
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
  more: readonly (readonly [string, Buffer])[] = [],
): Buffer {
  const names = ['r', 'g', 'b'];
  const tones = typeof gamma === 'number' ? curve(gamma) : gamma;
  return profileOf('RGB ', [
    ['wtpt', xyz([0.9642, 1, 0.8249])],
    ...names.map((name, i): [string, Buffer] => [`${name}XYZ`, xyz(primaries[i])]),
    ...names.map((name): [string, Buffer] => [`${name}TRC`, tones]),
    ...more,
  ]);
}

function profileOf(space: string, tags: readonly (readonly [string, Buffer])[]): Buffer {
  const all: readonly (readonly [string, Buffer])[] = [
    ['desc', description('made for a test')],
    ['cprt', Buffer.from('text\0\0\0\0none\0\0\0\0', 'latin1')],
    ...tags,
  ];
  const table = Buffer.alloc(4 + all.length * 12);
  table.writeUInt32BE(all.length, 0);
  let at = 128 + table.length;
  all.forEach(([name, data], i) => {
    table.write(name, 4 + i * 12, 'latin1');
    table.writeUInt32BE(at, 8 + i * 12);
    table.writeUInt32BE(data.length, 12 + i * 12);
    at += data.length;
  });
  const header = Buffer.alloc(128);
  header.writeUInt32BE(at, 0);
  header.writeUInt32BE(0x02100000, 8);
  header.write(`mntr${space}XYZ `, 12, 'latin1');
  header.write('acsp', 36, 'latin1');
  [0.9642, 1, 0.8249].forEach((value, i) => header.writeInt32BE(Math.round(value * 65536), 68 + i * 4));
  return Buffer.concat([header, table, ...all.map(([, data]) => data)]);
}

/** An `mft2` tag of eight corners (ICC.1:2010, 10.8 and 6.3.4.2). */
function tableToLab(): Buffer {
  const head = Buffer.alloc(52);
  head.write('mft2', 'latin1');
  head.set([3, 3, 2], 8);
  [0, 4, 8].forEach((i) => head.writeInt32BE(65536, 12 + i * 4));
  head.writeUInt16BE(2, 48);
  head.writeUInt16BE(2, 50);
  const straight = [0, 65535, 0, 65535, 0, 65535];
  const corners = Array.from({ length: 8 }, (_, i) => {
    const [r, g, b] = [i >> 2, (i >> 1) & 1, i & 1];
    return [((r + g + b) / 3) * 65280, 32768 + (g - r) * 12000, 32768 + (g - b) * 12000];
  });
  const values = [...straight, ...corners.flat().map(Math.round), ...straight];
  const data = Buffer.alloc(values.length * 2);
  values.forEach((value, i) => data.writeUInt16BE(value, i * 2));
  return Buffer.concat([head, data]);
}

function xyz(values: readonly number[]): Buffer {
  const data = Buffer.alloc(20);
  data.write('XYZ ', 'latin1');
  values.forEach((value, i) => data.writeInt32BE(Math.round(value * 65536), 8 + i * 4));
  return data;
}

/** A plain power, in steps of 1/256; padded to four bytes. */
function curve(gamma: number): Buffer {
  const data = Buffer.alloc(16);
  data.write('curv', 'latin1');
  data.writeUInt32BE(1, 8);
  data.writeUInt16BE(Math.round(gamma * 256), 12);
  return data;
}

function description(text: string): Buffer {
  const data = Buffer.alloc(Math.ceil((90 + text.length + 1) / 4) * 4);
  data.write('desc', 'latin1');
  data.writeUInt32BE(text.length + 1, 8);
  data.write(text, 12, 'latin1');
  return data;
}
