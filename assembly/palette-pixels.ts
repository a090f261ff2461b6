/**
 * Looks up the colours of indices, compiled to WebAssembly.
 *
 * Written in AssemblyScript; `npm run generate` compiles it.
 */

/** RGBA of each index; the caller fills it in. */
const COLOURS: usize = 1024;
const INDICES: usize = COLOURS + 256 * sizeof<u32>();
/** Room behind the indices: they are read four at a time. */
const SLACK: usize = 16;

let pixels: usize = 0;
let indexBytes: usize = 0;
let width: usize = 0;

export function coloursAt(): usize {
  return COLOURS;
}

/** Makes room for `rows` rows, which are looked up at a time. */
export function begin(rowWidth: usize, rows: usize): void {
  width = rowWidth;
  indexBytes = (width + 1) * rows;
  pixels = (INDICES + indexBytes + SLACK) & ~15;
  const pages = <u32>((pixels + (width * rows + 4) * sizeof<u32>() + 0xffff) >> 16);
  if (pages > <u32>memory.size()) memory.grow(<i32>(pages - <u32>memory.size()));
}

/** Where the next rows belong: a byte that is skipped, and one for each index. */
export function indicesAt(): usize {
  return INDICES;
}

/** Where the pixels of these rows lie afterwards, RGBA. */
export function pixelsAt(): usize {
  return pixels;
}

export function lookUp(rows: usize): void {
  let from = INDICES;
  let to = pixels;
  for (let row: usize = 0; row < rows; row++) {
    from++;
    const end = from + width;
    // Of the last four, those beyond the row are overwritten by the next.
    for (let at = to; from < end; from += 4, at += 16) {
      let four = v128.load32_zero(colour(from));
      four = v128.load_lane<u32>(colour(from + 1), four, 1);
      four = v128.load_lane<u32>(colour(from + 2), four, 2);
      v128.store(at, v128.load_lane<u32>(colour(from + 3), four, 3));
    }
    from = end;
    to += width << 2;
  }
}

function colour(index: usize): usize {
  return COLOURS + ((<usize>load<u8>(index)) << 2);
}
