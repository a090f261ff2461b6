/** Files that came back wrong once, if they are beside the repository: each is right now. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import type { CompressionPolicy } from '../../src/compression/domain/compression-policy';
import type { CompressedImage } from '../../src/compression/domain/compression-report';
import { compress } from '../support/compressing';

const FOLDER = join(__dirname, '..', '..', '..', 'shared', 'faults');
const itIfThere = existsSync(FOLDER) ? it : it.skip;

type Changes = Partial<CompressionPolicy>;
type Check = (result: CompressedImage) => unknown;

const inHalf = { density: 2 };
const copyright: Changes = { keepMetadata: 'copyright' };
const text = ({ bytes }: CompressedImage) => Buffer.from(bytes).toString('latin1');
const colours = async ({ bytes }: CompressedImage, left: number, top: number) => [
  ...(await sharp(bytes).extract({ left, top, width: 1, height: 1 }).raw().toBuffer()),
];
const removes =
  (kind: string): Check =>
  ({ report }) =>
    expect(report.removed).toContain(kind);
const takes =
  (most: number): Check =>
  ({ bytes }) =>
    expect(bytes.length).toBeLessThanOrEqual(most);
const scores: Check = ({ report }) => expect(report.score).toBeGreaterThanOrEqual(0.9914);
const measures =
  (width: number, height: number): Check =>
  ({ report }) =>
    expect(report.dimensions).toEqual({ width, height });
const isGenerated: Check = (result) => expect(text(result)).toContain('trainedAlgorithmicMedia');

/** Of the mean luma of 3×3 px above the median of 13×13 px, where the file beside the image has stars. */
const keepsStars: Check = async ({ bytes }) => {
  const places = JSON.parse(readFileSync(join(FOLDER, 'night-sky.json'), 'utf8')) as [number, number][];
  const contrasts = async (image: Uint8Array) => {
    const { data, info } = await sharp(image).greyscale().raw().toBuffer({ resolveWithObject: true });
    const around = (y: number, x: number, reach: number) =>
      [...Array(2 * reach + 1).keys()].flatMap((row) => {
        const first = (y - reach + row) * info.width + x - reach;
        return [...data.subarray(first, first + 2 * reach + 1)];
      });
    return places.map(([y, x]) => {
      const spot = around(y, x, 1).reduce((sum, value) => sum + value, 0) / 9;
      return spot - around(y, x, 6).sort((a, b) => a - b)[84];
    });
  };
  const before = await contrasts(readFileSync(join(FOLDER, 'night-sky.jpg')));
  const kept = (await contrasts(bytes)).map((contrast, i) => contrast / before[i]).sort((a, b) => a - b);
  expect(kept[places.length / 2]).toBeGreaterThan(0.85);
  expect(kept.filter((share) => share < 0.5).length).toBeLessThan(8);
};
/** Steps between neighbours, as CIE76 differences: the upload has up to 1.74. */
const hasNoBands: Check = async ({ bytes }) => {
  const { data, info } = await sharp(bytes)
    .toColourspace('lab')
    .raw({ depth: 'float' })
    .toBuffer({ resolveWithObject: true });
  const lab = new Float32Array(data.buffer, data.byteOffset, data.length / 4);
  const step = (at: number, to: number) =>
    Math.hypot(...[0, 1, 2].map((i) => lab[3 * at + i] - lab[3 * to + i]));
  let most = 0;
  for (let at = 0; at < info.width * (info.height - 1) - 1; at++) {
    const isLast = at % info.width === info.width - 1;
    most = Math.max(most, isLast ? 0 : step(at, at + 1), step(at, at + info.width));
  }
  expect(most).toBeLessThan(2.7);
};

const FAULTS: readonly (readonly [file: string, changes: Changes, check: Check])[] = [
  ['thermal-flir.jpg', {}, removes('thermal')],
  ['depth-in-xmp.jpg', {}, removes('depth')],
  ['a1111-parameters.jpg', {}, removes('prompt')],
  ['plantuml-diagram.png', {}, removes('editor-layers')],
  ['idat-too-much-data.png', {}, ({ report }) => expect(report.format).toBe('png')],
  ['ai-label.jpg', {}, isGenerated],
  ['ai-label.jpg', { formats: ['avif'] }, isGenerated],
  ['ai-label.jpg', { formats: ['webp'] }, isGenerated],
  ['ai-label-ztxt.png', copyright, isGenerated],
  ['gradient-pale-blue.jpg', {}, hasNoBands],
  ['gradient-pale-blue.jpg', { formats: ['webp'] }, hasNoBands],
  ['night-sky.jpg', {}, keepsStars],
  ['night-sky.jpg', { formats: ['webp'] }, keepsStars],
  ['night-sky.jpg', { formats: ['avif'] }, keepsStars],
  ['dark-chart-444.jpg', { maxDimensionPx: 320 }, scores],
  ['dark-chart.png', { formats: ['jpeg'] }, scores],
  ['grey-photo.png', { formats: ['webp'] }, takes(15_000)],
  ['drawing-palette-cliff.png', {}, takes(10_000)],
  ['mask-180-flat-colours.png', {}, ({ report }) => expect(report.maxError).toBe(0)],
  ['sprite-sheet-4096.png', {}, measures(3840, 240)],
  ['sprite-sheet-4096.png', { maxDimensionPx: 4096 }, takes(66_754)],
  ['exif-header-ff.jpg', {}, measures(266, 400)],
  ['complete-but-no-eoi.jpg', {}, scores],
  ['chrm-rounded.png', { formats: ['webp'] }, ({ report }) => expect(report.format).toBe('webp')],
  ['jfif-300dpi.jpg', {}, (result) => expect(text(result).slice(6, 10)).toBe('JFIF')],
  [
    'iptc-copyright.jpg',
    { ...copyright, formats: ['webp'] },
    (result) => expect(text(result)).toContain('Studio'),
  ],
  [
    'product-on-white.jpg',
    inHalf,
    async (result) => expect(await colours(result, 0, 0)).toEqual([255, 255, 255]),
  ],
  ['nine-patch-compiled.png', {}, (result) => expect(text(result)).toContain('npTc')],
];

itIfThere.each(FAULTS)('%s %j', async (file, changes, check) => {
  await check(await compress(readFileSync(join(FOLDER, file)), changes));
});
