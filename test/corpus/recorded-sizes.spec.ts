/**
 * The sizes of results as they were measured, in every format, at two densities and at a low quality, so that a loss of bytes shows even if it happens in small
 * steps. Run with RECORD_SIZES=1, it writes recorded-sizes.json anew: a commit that does so says why.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { compressImage } from '../../src/compression/application/recipe';
import { QUALITY_TARGETS } from '../../src/compression/domain/compression-policy';
import { createNativeEngine } from '../../src/compression/infrastructure/codecs/native/native-engine';
import { findFormatPackage } from '../../src/compression/packages/codec-package';
import { loadFormat } from '../../src/compression/packages/load-package';
import { Formats } from '../../src/contract/formats';
import { policy } from '../support/default-policy';
import { png, softEdges, textured, type Draw } from '../support/drawn-pngs';
import { ROOT } from '../support/folders';
import { samplesOf } from '../support/images';

const FILE = join(__dirname, 'recorded-sizes.json');
/** 585 images: beside busy programs, more than the usual 400 s. */
const PATIENCE_MS = 1_800_000;
const LARGER = 1.02;
const LARGER_IN_ALL = 1.005;
const FORMATS = [undefined, 'webp', 'avif', 'jxl'];
const { high, low } = QUALITY_TARGETS;
const COLUMNS = [
  ...FORMATS.flatMap((format) => [1, 2].map((density) => ({ format, density, targetScore: high }))),
  { format: undefined, density: 1, targetScore: low },
].map((asked) => ({
  ...asked,
  title: `${asked.format ?? 'same'} at ${asked.density}${asked.targetScore === low ? ', low' : ''}`,
}));

const [width, height] = [192, 144];
/** Places in the photos of the repository: a shore, a sky with rocks, fruit, glass and cloth. */
const PLACES = [
  ['sample.jpg', 150, 560],
  ['sample.jpg', 800, 250],
  ['still-life.jpg', 100, 200],
  ['still-life.jpg', 500, 420],
  ['still-life.jpg', 760, 80],
] as const;

/** A part of a photo at half its size, so that it has no history as a JPG. */
const photo = (index: number) => {
  const [file, left, top] = PLACES[index];
  const part = sharp(join(ROOT, 'examples', file)).extract({
    left,
    top,
    width: width * 2,
    height: height * 2,
  });
  return part.resize(width, height).toColourspace('srgb');
};
const soft = (x: number, y: number, radius: number) =>
  Math.round(255 * Math.max(0, 1 - Math.hypot(x - width / 2, y - height / 2) / radius));
const isGlyph = (x: number, y: number) => y % 20 < 9 && (x * 7 + y * 13) % 11 < 3;
const drawing = (index: number) =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${20 + 4 * index} 15"><rect width="99" height="15" fill="#f4efe6"/><circle cx="8" cy="7" r="5" fill="#c33"/><path d="M1 13 C5 2 12 14 ${19 + index} 3" stroke="#246" stroke-width="1.5" fill="none"/><path d="M12 12 l4 -9 l3 9z" fill="#3a7" stroke="#fff"/></svg>`,
    ),
  );

async function withAlpha(index: number, channels: number) {
  const { data } = await samplesOf(photo(index));
  return png(width, height, (x, y) => {
    const at = (y * width + x) * 3;
    const colour = channels === 1 ? [data[at], data[at], data[at]] : [...data.subarray(at, at + 3)];
    return [...colour, soft(x, y, 90 + 15 * index)];
  });
}
const drawn = (draw: (index: number) => Draw) => (index: number) => png(width, height, draw(index));

const KINDS: Record<string, (index: number) => Buffer | Promise<Buffer>> = {
  'JPG in 4:2:0': (index) => photo(index).jpeg({ quality: 90 }).toBuffer(),
  'JPG in 4:4:4': (index) => photo(index).jpeg({ quality: 92, chromaSubsampling: '4:4:4' }).toBuffer(),
  'JPG saved small': (index) => photo(index).jpeg({ quality: 72 }).toBuffer(),
  'grey JPG': (index) => photo(index).greyscale().jpeg({ quality: 90 }).toBuffer(),
  photo: (index) => photo(index).png().toBuffer(),
  'photo with soft alpha': (index) => withAlpha(index, 3),
  'grey photo with soft alpha': (index) => withAlpha(index, 1),
  palette: (index) =>
    photo(index)
      .png({ palette: true, colours: 16 << index, effort: 1 })
      .toBuffer(),
  drawing: (index) => drawing(index).png({ compressionLevel: 1 }).toBuffer(),
  screenshot: drawn((index) => softEdges(61 + 12 * index)),
  'gradients and text': drawn(
    (index) => (x, y) =>
      isGlyph(x, y) && x > 120
        ? [230, 230, 230, 255]
        : [20 + (x >> 2), 90 - (y >> (index + 1)), 60 + ((x + y) >> 3), 255],
  ),
  'soft shadow': drawn((index) => (x, y) => [16 * index, 32, 48, soft(x, y, 60 + 20 * index) >> 1]),
  texture: drawn((index) => (x, y) => textured(x + 300 * index, y + 200 * index)),
};
const NAMES = Object.keys(KINDS).flatMap((kind) =>
  PLACES.map((_, index) => ({ kind, index, name: `${kind} ${index + 1}` })),
);

it(
  'no result has grown: 1.02 of its recorded size at most, 1.005 in the sum of a column',
  async () => {
    const uploads = await Promise.all(NAMES.map(async ({ kind, index }) => KINDS[kind](index)));
    const path = join(ROOT, 'codec-packages', 'jxl');
    const { found, knownFormats } = findFormatPackage(path, path, Formats.builtIn);
    const { result } = await loadFormat(found);
    // loadCodecs would close formats of sharp to the specs that follow in this process.
    const codecs = { ...createNativeEngine(), added: [result!], knownFormats };
    const sizes: Record<string, number[]> = {};
    for (const [position, { name }] of NAMES.entries()) {
      sizes[name] = [];
      for (const { format, density, targetScore } of COLUMNS) {
        const asked = { ...policy, density, targetScore, ...(format ? { formats: [format] } : {}) };
        sizes[name].push((await compressImage(uploads[position], codecs, asked)).bytes.length);
      }
    }
    if (process.env['RECORD_SIZES']) {
      const rows = NAMES.map(({ name }) => `  "${name}": [${sizes[name].join(', ')}]`);
      writeFileSync(FILE, `{\n${rows.join(',\n')}\n}\n`);
    }
    const recorded = JSON.parse(readFileSync(FILE, 'utf8')) as typeof sizes;
    expect(Object.keys(recorded)).toEqual(Object.keys(sizes));
    const larger = COLUMNS.flatMap(({ title }, column) => {
      const of = (table: typeof sizes) => NAMES.map(({ name }) => table[name][column]);
      const files = NAMES.filter(({ name }) => sizes[name][column] > recorded[name][column] * LARGER);
      const [now, before] = [sizes, recorded].map((table) => of(table).reduce((a, b) => a + b));
      return [
        ...files.map(({ name }) => `${title}: ${name}, ${recorded[name][column]} -> ${sizes[name][column]}`),
        ...(now > before * LARGER_IN_ALL ? [`${title}, in all: ${before} -> ${now}`] : []),
      ];
    });
    expect(larger).toEqual([]);
  },
  PATIENCE_MS,
);
