/** Android nine-patches, drawn: a picture inside a frame of 1 px with black ticks. */
import { pngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { png, type Draw } from './drawn-pngs';

export const CLEAR = [0, 0, 0, 0];
export const BLACK = [0, 0, 0, 255];
export const RED = [255, 0, 0, 255];

/** Ticks from a third to two thirds of each side. */
export const middle: Draw = (x, y) => (x * 3 >= y && x * 3 < 2 * y ? BLACK : CLEAR);

export interface Frame {
  /** The colour of the frame at a place of a side of so many pixels; corners are clear. */
  readonly top?: Draw;
  readonly left?: Draw;
  readonly bottom?: Draw;
  readonly right?: Draw;
}

export function ninePatch(width: number, height: number, inside: Draw, frame: Frame = {}) {
  return png(width, height, framed(width, height, inside, frame));
}

export function framed(width: number, height: number, inside: Draw, frame: Frame = {}): Draw {
  const { top = middle, left = middle, bottom = middle, right = middle } = frame;
  const [lastX, lastY] = [width - 1, height - 1];
  return (x, y) => {
    const isColumn = x > 0 && x < lastX;
    const isRow = y > 0 && y < lastY;
    if (isColumn && isRow) return inside(x, y);
    if (isColumn) return (y === 0 ? top : bottom)(x, width);
    if (isRow) return (x === 0 ? left : right)(y, height);
    return CLEAR;
  };
}

export const darkPicture: Draw = (x, y) => {
  const grain = Math.imul(x * 7919 + y * 104729, 0x9e3779b1) >>> 28;
  return [10 + x / 8 + grain, 8 + y / 8 + grain / 2, 14 + grain, 255].map(Math.round);
};

export const shadow: Draw = (x, y) => {
  const far = Math.hypot(x - 60, y - 40) / 60;
  return [20, 24, 30, Math.round(255 * Math.max(0, Math.min(1, 1.3 - far)))];
};

/** What Android's build writes for stretchable parts, the outline and the layout bounds; here of any content. */
export const COMPILED_CHUNKS = [
  pngChunk('npOl', Buffer.alloc(24, 3)),
  pngChunk('npLb', Buffer.alloc(16, 2)),
  pngChunk('npTc', Buffer.alloc(84, 1)),
];

export function compiledNinePatch(width: number, height: number, picture: Draw) {
  return withChunks(png(width, height, picture), COMPILED_CHUNKS);
}
