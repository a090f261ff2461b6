/** The colours of coded planes (ITU-T H.273), written as upright pixels. */

/** Shares of red and blue in luma, by matrix coefficients. */
const WEIGHTS = {
  1: [0.2126, 0.0722],
  4: [0.3, 0.11],
  5: [0.299, 0.114],
  6: [0.299, 0.114],
  7: [0.212, 0.087],
  9: [0.2627, 0.0593],
};
/** The same by primaries, where the matrix follows from them. */
const WEIGHTS_OF_PRIMARIES = { 1: [0.2126, 0.0722], 9: [0.2627, 0.0593], 12: [0.22897, 0.07929] };
const RGB = 0;
const UNSPECIFIED = 2;
const OF_PRIMARIES = 12;

function weightsOf({ matrix, primaries }) {
  // As everybody decodes it.
  if (matrix === UNSPECIFIED) return WEIGHTS[6];
  const weights = matrix === OF_PRIMARIES ? WEIGHTS_OF_PRIMARIES[primaries] : WEIGHTS[matrix];
  if (!weights) throw new Error(`the colours of the image are coded with the unknown matrix ${matrix}`);
  return weights;
}

/** Factors and offsets from samples to 0..max. */
function rangeOf(depth, isFull, max) {
  const step = 2 ** (depth - 8);
  const half = 2 ** (depth - 1);
  if (isFull) return { black: 0, scale: max / (2 ** depth - 1), half, chromaScale: max / (2 ** depth - 1) };
  return { black: 16 * step, scale: max / (219 * step), half, chromaScale: max / (224 * step) };
}

/**
 * Writes colours where the place says. Chroma of half the size is interpolated; its samples lie in the middle of the pixels that share
 * them, as in JPEG.
 * @param picture `chroma`, `depth` and `planes`
 * @param out `data`, `channels` and `max`, the largest sample
 */
export function paintColours({ chroma, depth, planes }, nclx, place, out) {
  const { data, channels, max } = out;
  const { black, scale, half, chromaScale } = rangeOf(depth, nclx.isFull, max);
  const [luma, blue, red] = planes;
  const isGrey = chroma === 0;
  const isRgb = !isGrey && nclx.matrix === RGB;
  if (isRgb && chroma !== 3) throw new Error('RGB is coded with half its resolution');
  const [kr, kb] = isGrey || isRgb ? WEIGHTS[6] : weightsOf(nclx);
  const kg = 1 - kr - kb;
  const [redOfRed, blueOfBlue] = [2 * (1 - kr) * chromaScale, 2 * (1 - kb) * chromaScale];
  const [greenOfBlue, greenOfRed] = [(-kb * blueOfBlue) / kg, (-kr * redOfRed) / kg];
  const writes = channels > 2 ? 3 : 1;

  const { left, top, right, bottom, first, stepX, stepY } = windowOf(place);
  const width = right - left;
  const [blueRow, redRow] = [new Float32Array(width), new Float32Array(width)];
  const rows = isGrey || isRgb ? undefined : new ChromaRows(chroma, { left, right });
  const limit = (value) => (value < 0 ? 0 : value > max ? max : value + 0.5);
  for (let y = top; y < bottom; y++) {
    const from = y * luma.stride + left;
    let to = (first + (y - top) * stepY) * channels;
    const step = stepX * channels;
    if (rows) {
      rows.read(blue, y, half, blueRow);
      rows.read(red, y, half, redRow);
      for (let x = 0; x < width; x++, to += step) {
        const light = (luma.data[from + x] - black) * scale;
        const [b, r] = [blueRow[x], redRow[x]];
        data[to] = limit(light + r * redOfRed);
        data[to + 1] = limit(light + b * greenOfBlue + r * greenOfRed);
        data[to + 2] = limit(light + b * blueOfBlue);
      }
    } else {
      for (let x = 0; x < width; x++, to += step) {
        const light = limit((luma.data[from + x] - black) * scale);
        if (isRgb) {
          data[to] = limit((red.data[y * red.stride + left + x] - black) * scale);
          data[to + 1] = light;
          data[to + 2] = limit((blue.data[y * blue.stride + left + x] - black) * scale);
        } else for (let channel = 0; channel < writes; channel++) data[to + channel] = light;
      }
    }
  }
}

/** The part of a coded image that is shown, and the number of the pixel that its first one becomes. */
function windowOf({ at, right, down, width, height }) {
  const last = [0, 1].map((i) => at[i] + right[i] * (width - 1) + down[i] * (height - 1));
  const [left, top] = [0, 1].map((i) => Math.min(at[i], last[i]));
  const [x, y] = [left - at[0], top - at[1]];
  // The steps are at right angles, so that they also lead back.
  const stepX = right[0] + down[0] * width;
  const stepY = right[1] + down[1] * width;
  return {
    left,
    top,
    right: Math.max(at[0], last[0]) + 1,
    bottom: Math.max(at[1], last[1]) + 1,
    first: x * stepX + y * stepY,
    stepX,
    stepY,
  };
}

/** Chroma at the resolution of luma, a row at a time, around 0. */
class ChromaRows {
  #mixed = new Float32Array(0);

  constructor(chroma, { left, right }) {
    Object.assign(this, { left, right, isNarrow: chroma !== 3, isLow: chroma === 1 });
  }

  read(plane, y, half, out) {
    const { left, right, isNarrow, isLow } = this;
    const { data, stride, width } = plane;
    const near = isLow ? Math.min(y >> 1, plane.height - 1) : y;
    const far = isLow ? Math.min(Math.max(near + (y & 1 ? 1 : -1), 0), plane.height - 1) : y;
    if (!isNarrow) {
      for (let x = left; x < right; x++) out[x - left] = data[y * stride + x] - half;
      return;
    }
    if (this.#mixed.length < width) this.#mixed = new Float32Array(width);
    const mixed = this.#mixed;
    const [nearRow, farRow] = [near * stride, far * stride];
    for (let x = Math.max(0, (left >> 1) - 1), end = Math.min(width, (right >> 1) + 2); x < end; x++)
      mixed[x] = (3 * data[nearRow + x] + data[farRow + x]) * 0.25 - half;
    for (let x = left; x < right; x++) {
      const at = Math.min(x >> 1, width - 1);
      const beside = Math.min(Math.max(at + (x & 1 ? 1 : -1), 0), width - 1);
      out[x - left] = 0.75 * mixed[at] + 0.25 * mixed[beside];
    }
  }
}

/** Writes the luma of an alpha image into the last channel; if its size differs, the nearest samples. */
export function paintAlpha({ depth, planes: [luma] }, { at, right, down, width, height }, out) {
  const { data, channels, max, width: outWidth, height: outHeight } = out;
  const scale = max / (2 ** depth - 1);
  for (let y = 0, to = channels - 1; y < outHeight; y++) {
    const row = Math.floor((y * height) / outHeight);
    const [rowX, rowY] = [at[0] + down[0] * row, at[1] + down[1] * row];
    for (let x = 0; x < outWidth; x++, to += channels) {
      const column = outWidth === width ? x : Math.floor((x * width) / outWidth);
      data[to] = luma.data[(rowY + right[1] * column) * luma.stride + rowX + right[0] * column] * scale + 0.5;
    }
  }
}

/** Undoes the multiplication of colours with alpha. */
export function divideByAlpha({ data, channels, max }) {
  for (let at = 0; at < data.length; at += channels) {
    const alpha = data[at + channels - 1];
    if (alpha === max || alpha === 0) continue;
    for (let i = at; i < at + channels - 1; i++) data[i] = Math.min(max, (data[i] * max) / alpha + 0.5);
  }
}
