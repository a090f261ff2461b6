/** Random numbers that depend on nothing but their arguments, so that a picture is the same every time. */

/** A number from 0 to 1 for a 32-bit seed (the finaliser of MurmurHash3). */
export function hash(seed) {
  let h = seed | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
}

/** A sequence of numbers from 0 to 1. */
export function randomFrom(seed) {
  let state = seed | 0;
  return () => hash((state = (state + 0x9e3779b9) | 0));
}

const smooth = (t) => t * t * (3 - 2 * t);

/** Value noise in three dimensions, 0 to 1, with features of size 1. Written out, because pictures are made of it. */
export function noise(x, y, z = 0) {
  const i = Math.floor(x);
  const j = Math.floor(y);
  const k = Math.floor(z);
  const u = smooth(x - i);
  const v = smooth(y - j);
  const w = smooth(z - k);
  const x0 = Math.imul(i, 374761393);
  const x1 = Math.imul(i + 1, 374761393);
  const y0 = Math.imul(j, 668265263);
  const y1 = Math.imul(j + 1, 668265263);
  const z0 = Math.imul(k, 2147483589);
  const z1 = Math.imul(k + 1, 2147483589);
  const near0 = hash(x0 ^ y0 ^ z0) * (1 - u) + hash(x1 ^ y0 ^ z0) * u;
  const near1 = hash(x0 ^ y1 ^ z0) * (1 - u) + hash(x1 ^ y1 ^ z0) * u;
  const far0 = hash(x0 ^ y0 ^ z1) * (1 - u) + hash(x1 ^ y0 ^ z1) * u;
  const far1 = hash(x0 ^ y1 ^ z1) * (1 - u) + hash(x1 ^ y1 ^ z1) * u;
  return (near0 * (1 - v) + near1 * v) * (1 - w) + (far0 * (1 - v) + far1 * v) * w;
}

/** Noise of several sizes, each half as large and half as strong as the one before; about 0 to 1. */
export function fractal(x, y, z = 0, octaves = 4) {
  let [sum, share, total] = [0, 1, 0];
  for (let o = 0; o < octaves; o++) {
    sum += noise(x, y, z + o * 17.3) * share;
    total += share;
    share /= 2;
    x *= 2.03;
    y *= 2.03;
    z *= 2.03;
  }
  return sum / total;
}

export const mix = (a, b, t) => a + (b - a) * t;
export const clamp = (t, low = 0, high = 1) => Math.max(low, Math.min(high, t));
/** 0 below `low`, 1 above `high`, smooth between. */
export const step = (low, high, t) => smooth(clamp((t - low) / (high - low)));
