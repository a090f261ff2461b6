/**
 * Recognises the source form of an Android nine-patch: an image with a frame of 1 px, whose black ticks mark where it stretches
 * (top, left) and where its content goes (bottom, right; red for the layout bounds). Android's build refuses any other frame colour.
 *
 * Drawings that fill their canvas have similar edges. Their outlines continue inside; the ticks of a frame do not.
 */
import type { Dimensions } from './dimensions';

/** The kinds of pixel in a frame. `clear` has an alpha of 0; black and red are exact and opaque. */
export const MARK = { clear: 0, black: 1, red: 2, other: 3 } as const;

/** A mark for each pixel, rows from the top. */
export interface Marks extends Dimensions {
  readonly data: Uint8Array;
}

/** Nine-patches with an all-black frame are tiny: 4 of 355 real ones, with 3 and 4 px. A larger one is an image with a border. */
const MAX_BLACK_FRAME_PX = 16;

/** Whether the pixels may be the top edge of a frame, or some of its pixels including the first. */
export function mayBeTop(pixels: Uint8Array): boolean {
  return pixels[0] === MARK.clear && pixels.every((mark) => mark <= MARK.black);
}

/** Whether the image has the frame of a nine-patch. @param marks of the whole image, frame included */
export function isNinePatch(marks: Marks): boolean {
  const { width, height } = marks;
  if (width < 3 || height < 3) return false;
  const [top, bottom] = [readRow(marks, 0), readRow(marks, height - 1)];
  const [left, right] = [readColumn(marks, 0), readColumn(marks, width - 1)];
  return (
    [top, left].every((edge) => hasClearEnds(edge) && mayBeTop(edge) && edge.includes(MARK.black)) &&
    [bottom, right].every(
      (edge) => hasClearEnds(edge) && !edge.includes(MARK.other) && findTicks(edge).length <= 1,
    ) &&
    !isBorder([top, left, bottom, right]) &&
    !isBlackShape(marks) &&
    !(goesOn(top, readRow(marks, 1)) && goesOn(left, readColumn(marks, 1)))
  );
}

function readRow({ width, data }: Marks, y: number) {
  return data.subarray(y * width, (y + 1) * width);
}

function readColumn({ width, height, data }: Marks, x: number): Uint8Array {
  return Uint8Array.from({ length: height }, (_, y) => data[y * width + x]);
}

function hasClearEnds(edge: Uint8Array) {
  return edge[0] === MARK.clear && edge[edge.length - 1] === MARK.clear;
}

/** Returns the first and the last pixel of each black run. */
function findTicks(edge: Uint8Array) {
  const ticks: [number, number][] = [];
  edge.forEach((mark, i) => {
    if (mark !== MARK.black) return;
    if (edge[i - 1] === MARK.black) ticks[ticks.length - 1][1] = i;
    else ticks.push([i, i]);
  });
  return ticks;
}

function isBorder(edges: readonly Uint8Array[]) {
  const isLarge = edges.some(({ length }) => length > MAX_BLACK_FRAME_PX);
  return isLarge && edges.every((edge) => edge.subarray(1, -1).every((mark) => mark === MARK.black));
}

/** Whether the image inside the frame is only black, like line art and single-colour icons. */
function isBlackShape(marks: Marks) {
  let hasBlack = false;
  for (let y = 1; y < marks.height - 1; y++) {
    const inside = readRow(marks, y).subarray(1, -1);
    if (inside.some((mark) => mark > MARK.black)) return false;
    hasBlack ||= inside.includes(MARK.black);
  }
  return hasBlack;
}

/** Whether every black run along an edge continues inside at both ends, as an outline does, and is only 1 px thick. */
function goesOn(edge: Uint8Array, inner: Uint8Array) {
  const isNear = (end: number) =>
    inner.subarray(Math.max(1, end - 1), Math.min(end + 2, inner.length - 1)).includes(MARK.black);
  return findTicks(edge).every(
    ([first, last]) => isNear(first) && isNear(last) && inner[(first + last) >> 1] !== MARK.black,
  );
}
