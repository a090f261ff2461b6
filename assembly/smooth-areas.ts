/**
 * The mean curvature of blocks of 8×8 pixels (src/compression/domain/smooth-areas.ts uses it), compiled to WebAssembly. The rows of an
 * image pass through once, from the top; of every second pixel, in the pattern of a chessboard, the second differences are added.
 *
 * Written in AssemblyScript; `npm run generate` compiles it.
 */
import { spread } from './samples';

const BLOCK: usize = 8;
/** Cap for edges and specks, so that they do not hide the gradient around them. */
const MAX_CURVATURE: i16 = 8;
const SUMS: usize = 1024;
/** Stands before each row, and behind it. */
const EDGE: usize = 16;
const ROWS: usize = 3;

let width: usize = 0;
let height: usize = 0;
let channels: usize = 4;
let blocks: usize = 0;
let row: usize = 0;
let counts: usize = 0;
let means: usize = 0;
let rows: usize = 0;
let rowBytes: usize = 0;

export function begin(imageWidth: usize, imageHeight: usize, channelsOfImage: usize): void {
  width = imageWidth;
  height = imageHeight;
  channels = channelsOfImage;
  blocks = (width + BLOCK - 1) / BLOCK;
  row = 0;
  counts = SUMS + blocks * sizeof<v128>();
  means = (counts + blocks * sizeof<u32>() + 15) & ~15;
  rows = (means + blocks * sizeof<f64>() + 15) & ~15;
  // Whole blocks, the four pixels that `spread` clears, and those beside.
  rowBytes = (blocks * BLOCK + 4) * sizeof<u32>() + 3 * EDGE;
  const pages = <u32>((rows + ROWS * rowBytes + 0xffff) >> 16);
  if (pages > <u32>memory.size()) memory.grow(<i32>(pages - <u32>memory.size()));
  memory.fill(SUMS, 0, means - SUMS);
}

/** Where the samples of the next row belong. Rows of fewer than four channels lie so that they can be spread in place. */
export function samplesAt(): usize {
  return rowAt(row) + (4 - channels) * width;
}

/** Where the mean curvature of each block lies after the last of its rows, f64: that of the channel that varies most. */
export function meansAt(): usize {
  return means;
}

function rowAt(n: usize): usize {
  return rows + (n % ROWS) * rowBytes + EDGE;
}

/** Takes the next row. */
export function push(): void {
  const to = rowAt(row);
  if (channels == 3) spread(to, width);
  if (channels < 3) spreadGrey(to, to + (4 - channels) * width);
  if (row > 1) addRow(rowAt(row + ROWS - 2), rowAt(row + ROWS - 1), to, (row - 1) & 1);
  row++;
}

function spreadGrey(to: usize, samples: usize): void {
  for (let x: usize = 0; x < width; x++)
    store<u32>(to + (x << 2), <u32>load<u8>(samples + x * channels) * 0x010101);
}

/** Adds every second pixel of the middle row. */
function addRow(above: usize, middle: usize, below: usize, first: usize): void {
  for (let block: usize = 0; block < blocks; block++) {
    const x = block * BLOCK + first;
    const sums = SUMS + block * sizeof<v128>();
    let sum = v128.load(sums);
    let count: u32 = 0;
    for (let column = x; column < x + BLOCK; column += 4) {
      const at = column << 2;
      const here = twoOf(middle + at);
      const twice = i16x8.add(here, here);
      const across = i16x8.add(twoOf(middle + at - 4), twoOf(middle + at + 4));
      const down = i16x8.add(twoOf(above + at), twoOf(below + at));
      let both = i16x8.add(capped(i16x8.sub(twice, across)), capped(i16x8.sub(twice, down)));
      // Pixels at the edge of the image have no second difference.
      const isFirst = column > 0 && column + 1 < width;
      const isSecond = column + 3 < width;
      if (!isFirst) both = i64x2.replace_lane(both, 0, 0);
      if (!isSecond) both = i64x2.replace_lane(both, 1, 0);
      sum = i16x8.add(sum, both);
      count += (isFirst ? 2 : 0) + (isSecond ? 2 : 0);
    }
    v128.store(sums, sum);
    store<u32>(counts + (block << 2), load<u32>(counts + (block << 2)) + count);
  }
}

/** The samples of this pixel and of the second next one. */
function twoOf(pixel: usize): v128 {
  return v128.shuffle<u8>(
    v128.load(pixel),
    i32x4.splat(0),
    0,
    16,
    1,
    16,
    2,
    16,
    3,
    16,
    8,
    16,
    9,
    16,
    10,
    16,
    11,
    16,
  );
}

function capped(difference: v128): v128 {
  return i16x8.min_s(i16x8.abs(difference), i16x8.splat(MAX_CURVATURE));
}

/** Completes the means of a row of blocks, and begins the next. */
export function finishBlocks(): void {
  for (let block: usize = 0; block < blocks; block++) {
    const sum = v128.load(SUMS + block * sizeof<v128>());
    const count = <f64>load<u32>(counts + (block << 2));
    const both = i16x8.add(sum, v128.shuffle<i64>(sum, sum, 1, 0));
    const most = max(
      max(i16x8.extract_lane_s(both, 0), i16x8.extract_lane_s(both, 1)),
      i16x8.extract_lane_s(both, 2),
    );
    store<f64>(means + block * sizeof<f64>(), count == 0 ? 0 : <f64>most / count);
  }
  memory.fill(SUMS, 0, means - SUMS);
}
