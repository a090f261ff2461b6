/** Gives images another aspect ratio, for the portable codecs. */
import { planCrop, plainBorder } from '../../../domain/crop-plan';
import { coveringSize, type Crop, type Dimensions, type Position } from '../../../domain/dimensions';
import { resize, sameKind, type Raster } from './raster';

/** Returns an RGBA image at a size; cropped, or distorted if its aspect ratio differs. */
export function resizeTo(raster: Raster, size: Dimensions, crop?: Crop): Raster {
  if (!crop) return resize(raster, size);
  const maxValue = raster.data instanceof Uint16Array ? 65_535 : 255;
  const background = crop === 'thumb' ? plainBorder(raster, maxValue) : undefined;
  if (background) return onBackground(raster, size, background);
  const plan = planCrop(raster, size);
  if (plan) {
    const region = plan.regionAt(busiestPart(resize(raster, plan.miniature), plan.part));
    return resize(cut(raster, region, region), size);
  }
  const whole = resize(raster, coveringSize(raster, size));
  return cut(whole, busiestPart(whole, size), size);
}

/** Returns the whole image centred on a plain background. */
function onBackground(raster: Raster, size: Dimensions, background: readonly number[]): Raster {
  const scale = Math.min(size.width / raster.width, size.height / raster.height);
  const inside = resize(raster, {
    width: Math.max(1, Math.round(raster.width * scale)),
    height: Math.max(1, Math.round(raster.height * scale)),
  });
  const data = sameKind(raster, size.width * size.height * 4);
  for (let i = 0; i < data.length; i++) data[i] = background[i % 4];
  const left = Math.floor((size.width - inside.width) / 2);
  const top = Math.floor((size.height - inside.height) / 2);
  const row = inside.width * 4;
  for (let y = 0; y < inside.height; y++)
    data.set(inside.data.subarray(y * row, (y + 1) * row), ((top + y) * size.width + left) * 4);
  return { ...size, channels: 4, data };
}

function cut(raster: Raster, { left, top }: Position, size: Dimensions): Raster {
  const out = sameKind(raster, size.width * size.height * 4);
  for (let y = 0; y < size.height; y++) {
    const from = ((top + y) * raster.width + left) * 4;
    out.set(raster.data.subarray(from, from + size.width * 4), y * size.width * 4);
  }
  return { ...size, channels: 4, data: out };
}

/** Returns the start of the part with the most detail: the largest sum of differences between neighbouring pixels. */
function busiestPart(raster: Raster, size: Dimensions): Position {
  const { width, height, data } = raster;
  const columns = new Float64Array(width);
  const rows = new Float64Array(height);
  for (let y = 1; y < height; y++) {
    for (let x = 1; x < width; x++) {
      const i = (y * width + x) * 4;
      let detail = 0;
      for (let c = 0; c < 3; c++) {
        detail += Math.abs(data[i + c] - data[i + c - 4]) + Math.abs(data[i + c] - data[i + c - width * 4]);
      }
      detail *= data[i + 3];
      columns[x] += detail;
      rows[y] += detail;
    }
  }
  return { left: busiestStart(columns, size.width), top: busiestStart(rows, size.height) };
}

/** Returns the first of `length` neighbours with the largest sum; of equal ones, the one nearest to the middle. */
function busiestStart(values: Float64Array, length: number): number {
  const middle = (values.length - length) / 2;
  let sum = 0;
  let best = { start: 0, sum: -1 };
  for (let i = 0; i < values.length; i++) {
    sum += values[i] - (i >= length ? values[i - length] : 0);
    const start = i - length + 1;
    if (start < 0) continue;
    const isNearer = Math.abs(start - middle) < Math.abs(best.start - middle);
    if (sum > best.sum || (sum === best.sum && isNearer)) best = { start, sum };
  }
  return best.start;
}
