/**
 * The hot loop of the palette rung, compiled to WebAssembly. It goes through the rows of an indexed image as deflate
 * does, byte by byte, and looks for a match within 32 KiB; but it also takes a match in which some indices differ, where
 * their colours are close enough to the source. So deflate finds longer matches, in fewer bytes.
 *
 * Written in AssemblyScript; `npm run generate` compiles it. Memory holds a block of rows and the window of deflate.
 */

/** What deflate can refer to (RFC 1951): so many bytes back, and so many of them. */
const WINDOW: usize = 32768;
const LONGEST: usize = 258;
/** A shorter match costs about as much as its literals. */
const SHORTEST: usize = 4;
/** A match of this length is not improved on. */
const LONG_ENOUGH: usize = 64;
/** Earlier places with the same four bytes that are looked at. */
const CHAIN: i32 = 8;
const HASH_BITS: u32 = 16;
/** Distances of the latest matches that are tried first, after the pixel to the left and the one above. */
const RECENT: usize = 4;

/** RGBA of each index; the caller fills it in. */
const PALETTE: usize = 1024;
/** For each range of a neighbourhood, 0..255, the greatest squared difference from the source (u32); also filled in. */
const TOLERANCES: usize = PALETTE + 1024;
/** For each index, 1 if pixels that have its colour exactly keep it; also filled in. */
const KEPT: usize = TOLERANCES + 1024;
const HEADS: usize = KEPT + 256;
const CHAINS: usize = HEADS + (sizeof<i32>() << HASH_BITS);
const DISTANCES: usize = CHAINS + WINDOW * sizeof<i32>();
const BUFFERS: usize = DISTANCES + 64;

/** Bytes of a row: a filter type and an index a pixel. */
let rowBytes: usize = 0;
/** Bytes of a row of the source: RGBA, with a pixel before it and some behind. */
let stride: usize = 0;
let source: usize = 0;
/** For each byte of the block, the greatest squared difference (u32; 0 for a filter type), then the RGBA of its pixel. */
let wishes: usize = 0;
let indices: usize = 0;
/** The window, then the block. */
let delivered: usize = 0;
/** Position of the block's first byte in the image, and of the first byte that is not yet in the chains. */
let blockStart: usize = 0;
let chained: usize = 0;

/** Makes room for an image of a width, given in blocks of at most so many rows. */
export function begin(width: usize, mostRows: usize): void {
  rowBytes = width + 1;
  stride = (width + 6) * 4;
  source = (BUFFERS + 15) & ~15;
  wishes = source + (mostRows + 2) * stride;
  indices = wishes + (mostRows * rowBytes + 3) * 8;
  delivered = indices + mostRows * rowBytes + 16;
  const pages = <u32>((delivered + WINDOW + mostRows * rowBytes + LONGEST + 0xffff) >> 16);
  if (pages > <u32>memory.size()) memory.grow(<i32>(pages - <u32>memory.size()));
  memory.fill(HEADS, 0xff, sizeof<i32>() << HASH_BITS);
  memory.fill(CHAINS, 0xff, WINDOW * sizeof<i32>());
  for (let n: usize = 0; n < RECENT; n++) store<u32>(DISTANCES + n * 4, <u32>(rowBytes + n + 1));
  blockStart = 0;
  chained = 0;
}

export function paletteAt(): usize {
  return PALETTE;
}

export function tolerancesAt(): usize {
  return TOLERANCES;
}

export function keptAt(): usize {
  return KEPT;
}

/** The first pixel of the row above the block; rows lie sourceStride apart, with a pixel more at both ends. */
export function sourceAt(): usize {
  return source + 4;
}

export function sourceStride(): usize {
  return stride;
}

export function indicesAt(): usize {
  return indices;
}

export function deliveredAt(): usize {
  return delivered + WINDOW;
}

/** Prepares the next block: what was delivered last becomes the window. */
export function advance(rows: usize): void {
  const bytes = rows * rowBytes;
  memory.copy(delivered, delivered + bytes, WINDOW);
  blockStart += bytes;
}

/** Codes a block of rows; the delivered indices are then ready to be read. */
export function code(rows: usize): void {
  findWishes(rows);
  const end = rows * rowBytes;
  const out = delivered + WINDOW;
  let at: usize = 0;
  while (at < end) {
    const most = min(LONGEST, end - at);
    let length = matchLength(at, 1, most);
    let distance: usize = 1;
    if (length < LONG_ENOUGH) {
      const above = matchLength(at, rowBytes, most);
      if (above > length) {
        length = above;
        distance = rowBytes;
      }
      for (let n: usize = 0; n < RECENT; n++) {
        const recent = <usize>load<u32>(DISTANCES + n * 4);
        const found = matchLength(at, recent, most);
        if (found <= length) continue;
        length = found;
        distance = recent;
      }
    }
    if (length < LONG_ENOUGH && at + SHORTEST <= end) {
      const position = <i32>(blockStart + at);
      let candidate = load<i32>(headOf(indices + at));
      for (let n = 0; n < CHAIN && candidate >= 0 && position - candidate <= <i32>WINDOW; n++) {
        const found = matchLength(at, <usize>(position - candidate), most);
        if (found > length) {
          length = found;
          distance = <usize>(position - candidate);
        }
        candidate = load<i32>(chainOf(<usize>candidate));
      }
    }
    if (length >= SHORTEST) {
      for (let n: usize = 0; n < length; n++) store<u8>(out + at + n, load<u8>(out + at + n - distance));
      remember(<u32>distance);
      at += length;
    } else {
      store<u8>(out + at, load<u8>(indices + at));
      at++;
    }
    extendChains(blockStart + at);
  }
}

/** How many bytes from here on may repeat those at a distance; they are written ahead, as they may repeat themselves. */
function matchLength(at: usize, distance: usize, most: usize): usize {
  if (distance > blockStart + at || distance > WINDOW) return 0;
  const out = delivered + WINDOW + at;
  const wanted = indices + at;
  let length: usize = 0;
  while (length < most) {
    const index = load<u8>(out + length - distance);
    if (index != load<u8>(wanted + length) && !isClose(at + length, index)) break;
    store<u8>(out + length, index);
    length++;
  }
  return length;
}

/** Whether an index may stand for the pixel at a byte of the block. */
function isClose(at: usize, index: u8): bool {
  const wish = wishes + (at << 3);
  const tolerance = load<u32>(wish);
  if (tolerance == 0) return false;
  const pixel = wish + 4;
  const colour = PALETTE + ((<usize>index) << 2);
  const red = <i32>load<u8>(pixel) - <i32>load<u8>(colour);
  const green = <i32>load<u8>(pixel, 1) - <i32>load<u8>(colour, 1);
  const blue = <i32>load<u8>(pixel, 2) - <i32>load<u8>(colour, 2);
  const alpha = <i32>load<u8>(pixel, 3) - <i32>load<u8>(colour, 3);
  const difference = <u32>(2 * red * red + 4 * green * green + blue * blue + 7 * alpha * alpha);
  return difference <= tolerance && mayChange(at, pixel, alpha);
}

/** Whether a pixel may get an index whose alpha differs by so much: opaque, transparent and kept ones may not. */
function mayChange(at: usize, pixel: usize, alpha: i32): bool {
  const veil = load<u8>(pixel, 3);
  if (alpha != 0 && (veil == 0 || veil == 255)) return false;
  const wanted = <usize>load<u8>(indices + at);
  return load<u8>(KEPT + wanted) == 0 || load<u32>(PALETTE + (wanted << 2)) != load<u32>(pixel);
}

/** Finds the tolerance of each pixel from the widest range of a channel in the 3×3 pixels around it. */
function findWishes(rows: usize): void {
  const width = rowBytes - 1;
  for (let row: usize = 0; row < rows; row++) {
    const above = source + row * stride;
    const to = wishes + row * rowBytes * 8;
    store<u64>(to, 0);
    for (let x: usize = 0; x < width; x += 4) {
      let low = v128.splat<u8>(255);
      let high = v128.splat<u8>(0);
      for (let y: usize = 0; y < 3; y++) {
        const from = above + y * stride + (x << 2);
        const left = v128.load(from);
        const middle = v128.load(from, 4);
        const right = v128.load(from, 8);
        low = i8x16.min_u(low, i8x16.min_u(left, i8x16.min_u(middle, right)));
        high = i8x16.max_u(high, i8x16.max_u(left, i8x16.max_u(middle, right)));
      }
      let range = i8x16.sub(high, low);
      range = i8x16.max_u(range, i32x4.shr_u(range, 16));
      range = v128.and(i8x16.max_u(range, i32x4.shr_u(range, 8)), v128.splat<i32>(255));
      let allowed = v128.load32_zero(TOLERANCES + ((<usize>i32x4.extract_lane(range, 0)) << 2));
      allowed = v128.load_lane<u32>(TOLERANCES + ((<usize>i32x4.extract_lane(range, 1)) << 2), allowed, 1);
      allowed = v128.load_lane<u32>(TOLERANCES + ((<usize>i32x4.extract_lane(range, 2)) << 2), allowed, 2);
      allowed = v128.load_lane<u32>(TOLERANCES + ((<usize>i32x4.extract_lane(range, 3)) << 2), allowed, 3);
      const four = to + ((x + 1) << 3);
      const pixels = v128.load(above + stride + (x << 2), 4);
      // Past the end of a row, the next one overwrites this.
      v128.store(four, v128.shuffle<i32>(allowed, pixels, 0, 4, 1, 5));
      v128.store(four, v128.shuffle<i32>(allowed, pixels, 2, 6, 3, 7), 16);
    }
  }
}

function remember(distance: u32): void {
  if (distance == 1 || distance == <u32>rowBytes) return;
  let displaced = distance;
  for (let n: usize = 0; n < RECENT; n++) {
    const known = load<u32>(DISTANCES + n * 4);
    store<u32>(DISTANCES + n * 4, displaced);
    if (known == distance) return;
    displaced = known;
  }
}

/** Enters what has been delivered up to a position, except for the last bytes, whose successors are not known yet. */
function extendChains(position: usize): void {
  const out = delivered + WINDOW;
  while (chained + SHORTEST <= position) {
    const head = headOf(out + chained - blockStart);
    store<i32>(chainOf(chained), load<i32>(head));
    store<i32>(head, <i32>chained);
    chained++;
  }
}

function headOf(bytes: usize): usize {
  return HEADS + ((<usize>((load<u32>(bytes) * 0x9e3779b1) >> (32 - HASH_BITS))) << 2);
}

function chainOf(position: usize): usize {
  return CHAINS + ((position & (WINDOW - 1)) << 2);
}
