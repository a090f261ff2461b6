/**
 * The hot loop of the near-lossless rung, compiled to WebAssembly. It codes one row of a PNG after the other: it
 * predicts every sample from the samples already delivered, rounds the residual to a multiple of 2e + 1, and so keeps
 * every delivered sample within e of its source. It tries the row filters 1 to 4 (W3C PNG, 9.2) and keeps the one whose
 * residuals have the least entropy. In photos, averages mostly win; rows that all use them deflate in fewer bytes than
 * rows that change filters, so there another filter must win clearly.
 *
 * Written in AssemblyScript; `npm run generate` compiles it. Memory holds a few rows, whatever the height of the image.
 */

const SUB: u8 = 1;
const UP: u8 = 2;
const AVERAGE: u8 = 3;
const PAETH: u8 = 4;
/** The bound of a sample that nobody sees, under an alpha of 0: its residual is always 0. */
const FREE: u8 = 15;
/** Bounds are less than this. */
const MOST_BOUNDS: i32 = 16;

/** Averages are favoured if they win in more than this share of the rows: in 61 to 99% of photos, 5% of drawings. */
const FAVOURED: f64 = 0.5;
/** Entropy of another filter, relative to averages where those are favoured. */
const CLEARLY_LESS: f64 = 0.875;
/** Where averages are favoured, the filters are compared in one of these rows. */
const PROBED_ROWS: u32 = 8;
const REMEMBERED_ROWS: f64 = 16;

/** The bound for each activity of a neighbourhood, 0..255; the caller fills it in. */
const BOUNDS: usize = 1024;
/** For each bound, the residuals -256..255 rounded to the nearest multiple of 2e + 1 (i16). */
const ROUNDED: usize = BOUNDS + 256;
const HISTOGRAM: usize = ROUNDED + MOST_BOUNDS * 512 * sizeof<i16>();
const BUFFERS: usize = HISTOGRAM + 256 * sizeof<u32>();

let width: usize = 0;
let channels: usize = 0;
let rowBytes: usize = 0;
/** n · log2 n for each count of a row (f64); the caller fills it in. */
let entropies: usize = 0;
/** Source rows above, at and below the current row. */
let above: usize = 0;
let current: usize = 0;
let below: usize = 0;
let lowest: usize = 0;
let highest: usize = 0;
let bounds: usize = 0;
/** Delivered row above, with a pixel of zeros before it, as PNG has it. */
let caps: usize = 0;
let up: usize = 0;
let triedRow: usize = 0;
let triedResiduals: usize = 0;
let bestRow: usize = 0;
let bestResiduals: usize = 0;
let codedRows: u32 = 0;
/** The filter of the row before. */
let before: u8 = AVERAGE;
/** Share of the last compared rows in which averages have the least entropy. */
let averages: f64 = 0;

/** Makes room for rows of a width; 1 or 3 channels of colour, 2 or 4 with alpha. */
export function begin(imageWidth: usize, imageChannels: usize): void {
  width = imageWidth;
  channels = imageChannels;
  codedRows = 0;
  before = AVERAGE;
  averages = FAVOURED;
  rowBytes = width * channels;
  const stride = (rowBytes + channels + 31) & ~15;
  entropies = (BUFFERS + 15) & ~15;
  above = (entropies + (rowBytes + 1) * sizeof<f64>() + 31) & ~15;
  current = above + stride;
  below = current + stride;
  lowest = below + stride;
  highest = lowest + stride;
  bounds = highest + stride;
  caps = bounds + stride;
  // A pixel of zeros stands before the rows that predictions read.
  up = caps + ((width + 31) & ~15) + 16;
  triedRow = up + stride + 16;
  bestRow = triedRow + stride + 16;
  triedResiduals = bestRow + stride;
  bestResiduals = triedResiduals + stride;
  const pages = <u32>((bestResiduals + stride + 0xffff) >> 16);
  if (pages > <u32>memory.size()) memory.grow(<i32>(pages - <u32>memory.size()));
  memory.fill(up - 16, 0, stride + 16);
  memory.fill(triedRow - 16, 0, 16);
  memory.fill(bestRow - 16, 0, 16);
  for (let e: i32 = 0; e < MOST_BOUNDS; e++) roundResiduals(e);
}

function roundResiduals(bound: i32): void {
  const step = 2 * bound + 1;
  for (let residual: i32 = -256; residual < 256; residual++) {
    const steps = (abs(residual) + bound) / step;
    const length = bound == FREE ? 0 : steps * step;
    const at: usize = ROUNDED + ((<usize>bound) << 10) + ((<usize>(residual + 256)) << 1);
    store<i16>(at, <i16>(residual < 0 ? -length : length));
  }
}

export function boundsAt(): usize {
  return BOUNDS;
}

/** The largest change of each pixel of the current row; 0 also keeps a colour that nobody sees. */
export function capsAt(): usize {
  return caps;
}

export function entropiesAt(): usize {
  return entropies;
}

export function aboveAt(): usize {
  return above;
}

export function currentAt(): usize {
  return current;
}

export function belowAt(): usize {
  return below;
}

export function residualsAt(): usize {
  return bestResiduals;
}

export function deliveredAt(): usize {
  return up;
}

/** The row below becomes the current row; the caller puts the next one in. */
export function advance(): void {
  const free = above;
  above = current;
  current = below;
  below = free;
}

/** Delivers the current row as it is, unfiltered. */
export function copy(): void {
  memory.copy(bestResiduals, current, rowBytes);
  memory.copy(up, current, rowBytes);
}

/** Codes the current row. Returns the filter; the residuals and the delivered row are ready to be read. */
export function code(): u8 {
  findBounds();
  const average = attempt(AVERAGE);
  keepAttempt();
  let best = AVERAGE;
  const isFavoured = averages > FAVOURED;
  if (!isFavoured || before != AVERAGE || codedRows % PROBED_ROWS == 0) {
    let least = isFavoured ? average * CLEARLY_LESS : average;
    let wins: f64 = 1;
    for (let filter: u8 = SUB; filter <= PAETH; filter++) {
      if (filter == AVERAGE) continue;
      const entropy = attempt(filter);
      if (entropy < average) wins = 0;
      if (entropy >= least) continue;
      least = entropy;
      best = filter;
      keepAttempt();
    }
    averages += (wins - averages) / REMEMBERED_ROWS;
  }
  before = best;
  codedRows++;
  const delivered = bestRow;
  bestRow = up;
  up = delivered;
  return best;
}

function keepAttempt(): void {
  const row = bestRow;
  const residuals = bestResiduals;
  bestRow = triedRow;
  bestResiduals = triedResiduals;
  triedRow = row;
  triedResiduals = residuals;
}

/** Activity is the widest range of a colour channel in the 3×3 pixels around; it decides what a sample may lose. */
function findBounds(): void {
  for (let i: usize = 0; i < rowBytes; i += 16) {
    const a = v128.load(above + i);
    const b = v128.load(current + i);
    const c = v128.load(below + i);
    v128.store(lowest + i, i8x16.min_u(a, i8x16.min_u(b, c)));
    v128.store(highest + i, i8x16.max_u(a, i8x16.max_u(b, c)));
  }
  const hasAlpha = (channels & 1) == 0;
  const colours: usize = hasAlpha ? channels - 1 : channels;
  const lastPixel = rowBytes - channels;
  let pixel: usize = 0;
  for (let at: usize = 0; at < rowBytes; at += channels) {
    const left: usize = at > 0 ? at - channels : at;
    const right: usize = at < lastPixel ? at + channels : at;
    let activity: i32 = 0;
    for (let c: usize = 0; c < colours; c++) {
      const low = min(
        load<u8>(lowest + left + c),
        min(load<u8>(lowest + at + c), load<u8>(lowest + right + c)),
      );
      const high = max(
        load<u8>(highest + left + c),
        max(load<u8>(highest + at + c), load<u8>(highest + right + c)),
      );
      activity = max(activity, <i32>high - <i32>low);
    }
    const cap = load<u8>(caps + pixel++);
    let bound = min(load<u8>(BOUNDS + activity), cap);
    if (hasAlpha) {
      if (cap > 0 && load<u8>(current + at + colours) == 0) bound = FREE;
      store<u8>(bounds + at + colours, 0);
    }
    for (let c: usize = 0; c < colours; c++) store<u8>(bounds + at + c, bound);
  }
}

/** Codes the row with one filter. Returns the entropy of its residuals in bits. */
function attempt(filter: u8): f64 {
  memory.fill(HISTOGRAM, 0, 256 * sizeof<u32>());
  const row = triedRow;
  const residuals = triedResiduals;
  const source = current;
  const top = up;
  const bound = bounds;
  const step = channels;
  const end = rowBytes;
  for (let i: usize = 0; i < end; i++) {
    let predicted: i32;
    if (filter == SUB) predicted = load<u8>(row + i - step);
    else if (filter == UP) predicted = load<u8>(top + i);
    else if (filter == AVERAGE) predicted = (<i32>load<u8>(row + i - step) + <i32>load<u8>(top + i)) >> 1;
    else predicted = paeth(load<u8>(row + i - step), load<u8>(top + i), load<u8>(top + i - step));
    const wanted: i32 = <i32>load<u8>(source + i) - predicted;
    const roundings: usize = ROUNDED + ((<usize>load<u8>(bound + i)) << 10);
    // The sample lies within 0..255, so the clipped value is nearer to it still.
    const delivered = max(
      0,
      min(255, predicted + <i32>load<i16>(roundings + ((<usize>(wanted + 256)) << 1))),
    );
    const residual: u32 = <u8>(delivered - predicted);
    store<u8>(row + i, <u8>delivered);
    store<u8>(residuals + i, <u8>residual);
    const count: usize = HISTOGRAM + ((<usize>residual) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
  let sum: f64 = 0;
  for (let value: usize = 0; value < 256; value++)
    sum += load<f64>(entropies + ((<usize>load<u32>(HISTOGRAM + (value << 2))) << 3));
  return load<f64>(entropies + (rowBytes << 3)) - sum;
}

function paeth(left: i32, top: i32, corner: i32): i32 {
  const toLeft = abs(top - corner);
  const toTop = abs(left - corner);
  const toCorner = abs(left + top - 2 * corner);
  return toLeft <= toTop && toLeft <= toCorner ? left : toTop <= toCorner ? top : corner;
}
