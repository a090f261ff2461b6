/** Luminance at full size and linear light at a quarter, from samples by tables. */
import { BLOCK, BLOCK_BYTES, blocks, cells, lightBytes, pixelBytes, rowBytes, width } from './layout';
import { BLUE, GREEN, RED, RESPONSE } from './tables';

/** Luminance of a strip of four rows, block after block, and its sums of light over 4×4 blocks. */
export function readStrip(source: usize, luminance: usize, lights: usize): void {
  for (let cell: usize = 0; cell < cells; cell++) {
    // The last two blocks of a ragged strip end at its right edge.
    const column = cell < blocks ? cell * BLOCK : width - (blocks + 2 - cell) * BLOCK;
    const from = source + column * pixelBytes;
    const to = luminance + cell * BLOCK_BYTES;
    const light = lights + cell * sizeof<u32>();
    readBlock(from, to, light);
  }
}

function readBlock(source: usize, luminance: usize, light: usize): void {
  let red: u64 = 0;
  let green: u64 = 0;
  let blue: u64 = 0;
  let from = source;
  for (let to = luminance; to < luminance + BLOCK_BYTES; to += BLOCK * sizeof<f32>(), from += rowBytes) {
    const r0 = redOf(from);
    const g0 = greenOf(from);
    const b0 = blueOf(from);
    store<f32>(to, response(r0 + g0 + b0));
    const second = from + pixelBytes;
    const r1 = redOf(second);
    const g1 = greenOf(second);
    const b1 = blueOf(second);
    store<f32>(to, response(r1 + g1 + b1), 4);
    const third = second + pixelBytes;
    const r2 = redOf(third);
    const g2 = greenOf(third);
    const b2 = blueOf(third);
    store<f32>(to, response(r2 + g2 + b2), 8);
    const fourth = third + pixelBytes;
    const r3 = redOf(fourth);
    const g3 = greenOf(fourth);
    const b3 = blueOf(fourth);
    store<f32>(to, response(r3 + g3 + b3), 12);
    red += r0 + r1 + r2 + r3;
    green += g0 + g1 + g2 + g3;
    blue += b0 + b1 + b2 + b3;
  }
  store<u32>(light, <u32>red);
  store<u32>(light + lightBytes, <u32>green);
  store<u32>(light + 2 * lightBytes, <u32>blue);
}

function redOf(pixel: usize): u64 {
  return load<u64>((<usize>load<u8>(pixel)) << 3, RED);
}

function greenOf(pixel: usize): u64 {
  return load<u64>((<usize>load<u8>(pixel, 1)) << 3, GREEN);
}

function blueOf(pixel: usize): u64 {
  return load<u64>((<usize>load<u8>(pixel, 2)) << 3, BLUE);
}

function response(sum: u64): f32 {
  return load<f32>((<usize>(sum >> 48)) << 2, RESPONSE);
}
