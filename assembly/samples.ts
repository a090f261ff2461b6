/** Spreads RGB that lies `width` bytes behind the beginning of a row to RGBA, with any alpha, and clears four pixels behind them. */
export function spread(row: usize, width: usize): void {
  let from = row + width;
  const end = row + (width << 2);
  for (let to = row; to < end; to += 16, from += 12) {
    const four = v128.load(from);
    v128.store(to, v128.shuffle<u8>(four, four, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 8, 9, 10, 11, 11));
  }
  v128.store(end, i32x4.splat(0));
}
