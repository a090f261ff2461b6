// Looking up a global takes most of the time of a small function in a module that Jest loads.
const { imul, log } = Math;

/** Random numbers that are the same in every run with the same seed (mulberry32). @param {number} seed */
export function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = imul(state ^ (state >>> 15), 1 | state);
    t = (t + imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An exponentially distributed number. @param {() => number} random @param {number} mean */
export const exponential = (random, mean) => -log(1 - random()) * mean;
