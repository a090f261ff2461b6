/** From light to a photo: less noise of the rendering, then the tone, the sharpening and the grain of a camera. */
import { hash } from './noise.mjs';

/**
 * Smooths the light, not what the surfaces look like: light divided by colour, averaged over neighbours of about the same
 * colour, normal and distance, in passes that reach further and further ("à trous", Dammertz et al. 2010).
 */
export function smoothed(rows, width, height, camera, passes = 3) {
  const light = new Float32Array(width * height * 3);
  for (let i = 0; i < width * height; i++)
    for (let k = 0; k < 3; k++) light[i * 3 + k] = rows[i * 10 + k] / Math.max(0.02, rows[i * 10 + 3 + k]);
  let [from, to] = [despeckled(light, width, height), new Float32Array(light.length)];
  for (let pass = 0; pass < passes; pass++) {
    onePass(rows, from, to, width, height, 1 << pass, 0.35 / (1 << pass));
    [from, to] = [to, from];
  }
  for (let i = 0; i < width * height; i++)
    for (let k = 0; k < 3; k++) from[i * 3 + k] *= Math.max(0.02, rows[i * 10 + 3 + k]);
  return camera.aperture > 0 ? calmed(from, rows, width, height, camera) : from;
}

/** Averages neighbours where the lens is out of focus by more than a pixel or two: few rays leave spots there. */
function calmed(light, rows, width, height, { aperture, focus, fov }) {
  const out = light.slice();
  const pixelsPerUnit = height / (2 * Math.tan((fov * Math.PI) / 360) * focus);
  for (let y = 2; y < height - 2; y++) {
    for (let x = 2; x < width - 2; x++) {
      const i = y * width + x;
      const distance = rows[i * 10 + 9];
      const blur = (aperture * Math.abs(distance - focus) * pixelsPerUnit) / distance;
      if (blur < 1.2) continue;
      const tolerance = Math.min(0.6, 0.12 * blur);
      const bright = light[i * 3] + light[i * 3 + 1] + light[i * 3 + 2];
      let [r, g, b, total] = [0, 0, 0, 0];
      for (let dy = -2; dy <= 2; dy++) {
        for (let dx = -2; dx <= 2; dx++) {
          const j = (i + dy * width + dx) * 3;
          const other = light[j] + light[j + 1] + light[j + 2];
          const difference = Math.abs(bright - other) / (0.02 + bright + other);
          const weight = KERNEL[dx + 2] * KERNEL[dy + 2] * Math.exp(-((difference / tolerance) ** 2));
          r += light[j] * weight;
          g += light[j + 1] * weight;
          b += light[j + 2] * weight;
          total += weight;
        }
      }
      out[i * 3] = r / total;
      out[i * 3 + 1] = g / total;
      out[i * 3 + 2] = b / total;
    }
  }
  return out;
}

/** Takes single bright pixels down to the second brightest of their neighbours: light that one ray in hundreds has found. */
function despeckled(light, width, height) {
  const out = light.slice();
  const bright = (i) => light[i * 3] + light[i * 3 + 1] + light[i * 3 + 2];
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const i = y * width + x;
      let [first, second] = [0, 0];
      for (const j of [
        i - width - 1,
        i - width,
        i - width + 1,
        i - 1,
        i + 1,
        i + width - 1,
        i + width,
        i + width + 1,
      ]) {
        const other = bright(j);
        if (other > first) [first, second] = [other, first];
        else if (other > second) second = other;
      }
      const excess = bright(i) / Math.max(1e-6, second);
      if (excess > 1.1) for (let k = 0; k < 3; k++) out[i * 3 + k] = (light[i * 3 + k] * 1.05) / excess;
    }
  }
  return out;
}

const KERNEL = [1 / 16, 1 / 4, 3 / 8, 1 / 4, 1 / 16];

function onePass(rows, from, to, width, height, reach, tolerance) {
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const f = i * 10;
      const bright = from[i * 3] + from[i * 3 + 1] + from[i * 3 + 2];
      let [r, g, b, total] = [0, 0, 0, 0];
      for (let dy = -2; dy <= 2; dy++) {
        const ny = y + dy * reach;
        if (ny < 0 || ny >= height) continue;
        for (let dx = -2; dx <= 2; dx++) {
          const nx = x + dx * reach;
          if (nx < 0 || nx >= width) continue;
          const j = ny * width + nx;
          const h = j * 10;
          const colour =
            Math.abs(rows[f + 3] - rows[h + 3]) +
            Math.abs(rows[f + 4] - rows[h + 4]) +
            Math.abs(rows[f + 5] - rows[h + 5]);
          const turn =
            Math.abs(rows[f + 6] - rows[h + 6]) +
            Math.abs(rows[f + 7] - rows[h + 7]) +
            Math.abs(rows[f + 8] - rows[h + 8]);
          const depth = Math.abs(rows[f + 9] - rows[h + 9]) / (rows[f + 9] + 1e-3);
          const other = from[j * 3] + from[j * 3 + 1] + from[j * 3 + 2];
          const difference = Math.abs(bright - other) / (0.3 + bright + other);
          const weight =
            KERNEL[dx + 2] *
            KERNEL[dy + 2] *
            Math.exp(-colour * 10 - turn * 6 - depth * 60 - difference / tolerance);
          r += from[j * 3] * weight;
          g += from[j * 3 + 1] * weight;
          b += from[j * 3 + 2] * weight;
          total += weight;
        }
      }
      to[i * 3] = r / total;
      to[i * 3 + 1] = g / total;
      to[i * 3 + 2] = b / total;
    }
  }
}

/** 8-bit sRGB: exposure, vignette, grain as photons make it, a tone curve, a little sharpening. */
export function developed(light, width, height, { exposure = 1, grain = 1, vignette = 0.25, warmth = 0 }) {
  const tone = new Float32Array(light.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      const [u, v] = [(x / width - 0.5) * 2, (y / height - 0.5) * 2 * (height / width)];
      const shade = exposure / (1 + vignette * (u * u + v * v)) ** 2;
      // Sensors see colours through a mosaic, so that the noise of neighbours is alike, most of all in colour.
      const common = normal(i + 7e8);
      for (let k = 0; k < 3; k++) {
        const colour = normal(i * 3 + k) + normal((i + 1) * 3 + k) + normal((i + width) * 3 + k);
        const own = common * 0.75 + colour * 0.36;
        const warm = 1 + warmth * (1 - k);
        const value = light[i * 3 + k] * shade * warm;
        const noisy = value + own * grain * Math.sqrt(0.00004 + value * 0.0006);
        tone[i * 3 + k] = srgb(curve(Math.max(0, noisy)));
      }
    }
  }
  return sharpened(tone, width, height);
}

function sharpened(tone, width, height) {
  const out = Buffer.alloc(tone.length);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let k = 0; k < 3; k++) {
        const at = (dx, dy) =>
          tone[
            (Math.min(height - 1, Math.max(0, y + dy)) * width + Math.min(width - 1, Math.max(0, x + dx))) *
              3 +
              k
          ];
        const centre = at(0, 0);
        const mean = (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 4;
        out[(y * width + x) * 3 + k] = Math.max(
          0,
          Math.min(255, Math.round((centre + (centre - mean) * 0.45) * 255)),
        );
      }
    }
  }
  return out;
}

/** Lifts the shadows a little and rolls the highlights off (Narkowicz's fit of the ACES curve). */
function curve(x) {
  x *= 0.7;
  return Math.min(1, (x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14));
}

function srgb(x) {
  return x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
}

/** Normally distributed, about: the sum of four even numbers. */
function normal(seed) {
  return (hash(seed) + hash(seed + 1e9) + hash(seed ^ 0x2c1b3c6d) + hash(seed ^ 0x297a2d39) - 2) * 1.73;
}
