/** Which image of a `srcset` browsers choose: https://html.spec.whatwg.org/multipage/images.html, and Chromium where that is open. */

import { MOST_DENSITY } from '../../compression/domain/compression-policy';

export interface Candidate {
  readonly url: string;
  readonly width?: number;
  readonly density?: number;
}

/** CSS pixels: from the smallest phones to wide screens. */
const WINDOWS = Array.from({ length: 71 }, (_, i) => 320 + 32 * i);
const DISPLAYS = [1, 1.5, 2, 3];
const PX_PER_EM = 16;

/**
 * Returns the lowest density, in pixels per CSS pixel, at which a window shows each candidate, and the highest for one that
 * no display needs; undefined if `sizes` has something else than `(min-width)`, `(max-width)` and sums of px, em, rem and vw.
 */
export function chosenDensities(
  candidates: readonly Candidate[],
  sizes: string,
): ReadonlyMap<string, number> | undefined {
  const densities = new Map<string, number>();
  for (const window of WINDOWS) {
    const size = sizeIn(sizes, window);
    if (size === undefined || size <= 0) return undefined;
    const offered = candidates
      .flatMap(({ url, width }) => (width === undefined ? [] : [{ url, density: width / size }]))
      .sort((a, b) => a.density - b.density);
    for (const display of DISPLAYS) {
      const { url, density } = chosen(offered, display);
      densities.set(url, Math.min(density, densities.get(url) ?? Infinity));
    }
  }
  for (const { url } of candidates) if (!densities.has(url)) densities.set(url, MOST_DENSITY);
  return densities;
}

/** The next higher density; between two, Chromium takes the lower one up to their geometric mean on displays above 1. */
function chosen<One extends { readonly density: number }>(offered: readonly One[], display: number) {
  const next = offered.findIndex(({ density }) => density >= display);
  if (next < 0) return offered[offered.length - 1];
  if (next === 0 || display <= 1) return offered[next];
  const isNearer = display < Math.sqrt(offered[next - 1].density * offered[next].density);
  return offered[isNearer ? next - 1 : next];
}

function sizeIn(sizes: string, window: number) {
  for (const entry of sizes.split(',').map((text) => text.trim().toLowerCase())) {
    const [, condition, length] = /^((?:\([^()]*\)(?:\s+and\s+)?)*)\s*(.*)$/.exec(entry) ?? [];
    const matches = (condition.match(/\([^()]*\)/g) ?? []).map((text) => {
      const match = /^\(\s*(min|max)-width\s*:([^()]*)\)$/.exec(text);
      const edge = match ? resolveLength(match[2].trim(), window) : undefined;
      return edge === undefined ? undefined : match?.[1] === 'min' ? window >= edge : window <= edge;
    });
    if (matches.includes(undefined)) return undefined;
    if (!matches.includes(false)) return resolveLength(length, window);
  }
  // What the specification takes if no condition holds.
  return window;
}

/** @param length such as `50vw`, or `calc(100vw - 2rem)` */
function resolveLength(length: string, window: number) {
  const units: Readonly<Record<string, number>> = { px: 1, em: PX_PER_EM, rem: PX_PER_EM, vw: window / 100 };
  const words = length
    .replace(/^calc\((.*)\)$/, '$1')
    .split(/\s+/)
    .join(' ');
  const pixels = words
    .replace(/ ([+-]) /g, ' $1')
    .split(' ')
    .map((term) => {
      const [, number, unit] = /^([+-]?[\d.]+)(px|r?em|vw)$/.exec(term) ?? [];
      return Number(number) * units[unit];
    });
  const sum = pixels.reduce((total, one) => total + one);
  return Number.isNaN(sum) ? undefined : sum;
}
