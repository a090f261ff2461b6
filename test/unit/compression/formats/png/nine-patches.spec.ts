/** What counts as the source form of a nine-patch, in every kind of PNG. */
import { deflateSync } from 'node:zlib';
import { isNinePatch } from '../../../../../src/compression/domain/nine-patch';
import { pngChunk, pngOfChunks } from '../../../../../src/compression/formats/png/png-chunks';
import { readMarks } from '../../../../../src/compression/formats/png/png-marks';
import { readPngStructure } from '../../../../../src/compression/formats/png/png-structure';
import { png, type Draw } from '../../../../support/drawn-pngs';
import {
  BLACK,
  CLEAR,
  darkPicture,
  framed,
  middle,
  ninePatch,
  RED,
  shadow,
  type Frame,
} from '../../../../support/nine-patches';
import { pngOfKind, PNG_KINDS } from '../../../../support/png-types';

async function isRecognised(source: Uint8Array) {
  const marks = await readMarks(readPngStructure(source));
  return marks !== undefined && isNinePatch(marks);
}

const white: Draw = () => [255, 255, 255, 255];
const always =
  (colour: readonly number[]): Draw =>
  () =>
    colour;
const allRound = (colour: readonly number[]): Frame => {
  const side = always(colour);
  return { top: side, left: side, bottom: side, right: side };
};
const twoTicks: Draw = (x, length) =>
  (x > 2 && x < 5) || (x > length - 6 && x < length - 3) ? BLACK : CLEAR;
const redEnds: Draw = (x, length) => (x < 3 || x > length - 4 ? RED : middle(x, length));

it.each<[string, Draw, Frame]>([
  ['a picture', darkPicture, {}],
  ['a shadow', shadow, {}],
  ['nothing inside', always(CLEAR), {}],
  ['a picture that is black along the frame', (x, y) => (x < 2 || y < 2 ? BLACK : [200, 30, 30, 255]), {}],
  ['two stretchable parts', white, { top: twoTicks, left: twoTicks }],
  ['no content area', white, { bottom: always(CLEAR), right: always(CLEAR) }],
  ['layout bounds', white, { bottom: redEnds, right: redEnds }],
  ['clear pixels of another hidden colour', white, { bottom: always([255, 255, 255, 0]) }],
])('%s in a frame is a nine-patch', async (_, inside, frame) => {
  expect(await isRecognised(ninePatch(40, 30, inside, frame))).toBe(true);
});

it('the smallest ones are black all round', async () => {
  expect(await isRecognised(ninePatch(3, 3, white, { top: always(BLACK), left: always(BLACK) }))).toBe(true);
  expect(await isRecognised(ninePatch(4, 4, white, allRound(BLACK)))).toBe(true);
  expect(await isRecognised(ninePatch(40, 30, white, allRound(BLACK)))).toBe(false);
});

it.each<[string, Frame]>([
  ['without a tick at the top', { top: always(CLEAR) }],
  ['without a tick at the left', { left: always(CLEAR) }],
  ['with a clear frame', allRound(CLEAR)],
  [
    'with a tick that is nearly black',
    { right: (x, y) => (middle(x, y) === BLACK ? [1, 0, 0, 255] : CLEAR) },
  ],
  ['with a tick that is not opaque', { bottom: (x, y) => (middle(x, y) === BLACK ? [0, 0, 0, 254] : CLEAR) }],
  ['with an alpha of 1', { bottom: always([0, 0, 0, 1]) }],
  ['with red at the top', { top: redEnds }],
  ['with two content areas', { right: twoTicks }],
])('a picture %s is none', async (_, frame) => {
  expect(await isRecognised(ninePatch(40, 30, white, frame))).toBe(false);
});

/** A disc with an outline of 1 px that fills its canvas, as icons and pixel art do. */
const disc =
  (outline: readonly number[], fill: readonly number[]): Draw =>
  (x, y) => {
    const isIn = (u: number, v: number) => Math.hypot(u - 15.5, v - 15.5) < 16;
    if (!isIn(x, y)) return CLEAR;
    return isIn(x - 1, y) && isIn(x + 1, y) && isIn(x, y - 1) && isIn(x, y + 1) ? fill : outline;
  };

it.each<[string, Draw]>([
  ['an icon with a black outline', disc(BLACK, [240, 200, 40, 255])],
  ['a black icon', disc(BLACK, BLACK)],
  ['a black border', (x, y) => (x % 31 === 0 || y % 31 === 0 ? BLACK : [255, 255, 255, 255])],
  ['a picture', darkPicture],
])('%s is none', async (_, drawn) => {
  expect(await isRecognised(png(32, 32, drawn))).toBe(false);
});

/** Clear is the transparent colour or an alpha of 0, black 0 with full alpha; the inside is neither, or clear with one bit. */
const KINDS = PNG_KINDS.filter(
  ([, { colourType, hasTransparentColour }]) => colourType >= 4 || (hasTransparentColour && colourType !== 3),
);
it.each(KINDS)('is recognised in %s', async (_, kind) => {
  const draw = framed(18, 15, white);
  const hasAlpha = kind.colourType >= 4;
  const sampleOf = (x: number, y: number, channel: number, bitDepth: number) => {
    const [red, , , alpha] = draw(x, y);
    const most = 2 ** bitDepth - 1;
    if (hasAlpha && channel === (kind.colourType === 4 ? 1 : 3)) return alpha && most;
    // Without alpha, the colour of the first pixel is transparent: white.
    return hasAlpha ? red && most : alpha === 0 ? most : red ? Math.max(1, most - 1) : 0;
  };
  expect(await isRecognised(pngOfKind(kind, 18, 15, sampleOf))).toBe(true);
  const broken = (x: number, y: number, channel: number, bitDepth: number) =>
    sampleOf(x, y, channel, bitDepth) ^ (x === 9 && y === 14 && channel === 0 ? 1 : 0);
  expect(await isRecognised(pngOfKind(kind, 18, 15, broken))).toBe(false);
});

it.each([2, 4, 8] as const)('is recognised in a palette of %i bits an index', async (bitDepth) => {
  const palette = [CLEAR, BLACK, [255, 255, 255, 255]];
  const draw = framed(18, 15, white);
  const kind = { colourType: 3, bitDepth } as const;
  const indexed = pngOfKind(kind, 18, 15, (x, y) =>
    palette.findIndex((colour) => colour.join() === draw(x, y).join()),
  );
  const chunks = readPngStructure(indexed).chunks.flatMap((chunk) =>
    chunk.type === 'PLTE'
      ? [
          pngChunk('PLTE', Buffer.from(palette.flatMap((colour) => colour.slice(0, 3)))),
          pngChunk('tRNS', Buffer.of(0)),
        ]
      : [chunk],
  );
  expect(await isRecognised(pngOfChunks(chunks))).toBe(true);
});

it('reads no more than the first row of another picture, and nothing of damaged data', async () => {
  const source = ninePatch(40, 30, white);
  const { chunks } = readPngStructure(source);
  const withData = (data: Uint8Array) =>
    pngOfChunks(chunks.map((chunk) => (chunk.type === 'IDAT' ? pngChunk('IDAT', data) : chunk)));
  const firstRow = Buffer.alloc(1 + 40 * 4, 9);
  firstRow[0] = 0;
  const endless = withData(deflateSync(firstRow).subarray(0, -6));
  expect(await readMarks(readPngStructure(endless))).toBeUndefined();
  const idat = chunks.find(({ type }) => type === 'IDAT')!.data;
  expect(await readMarks(readPngStructure(withData(idat.subarray(0, -20))))).toBeUndefined();
});
