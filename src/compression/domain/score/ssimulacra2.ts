/**
 * SSIMULACRA 2.1 (J. Sneyers, Cloudinary, 2022 and 2023; published with libjxl under a BSD licence), written from the
 * published description with its weights and constants. Terms with a weight below 0.01 are left out; in total they
 * change the result by less than 0.05. The loop over the pixels is in assembly/ssimulacra2.ts.
 */
import type { Dimensions } from '../dimensions';
import { loadModule, type WasmModule } from '../load-module';
import type { Pixels } from '../pixels';
import { srgbLight } from '../tone';
import { SSIMULACRA2_MODULE } from '../web-assembly';

const MAX_LEVELS = 6;
/** Levels end at this shorter side; smaller images cannot be compared. */
export const MIN_SIDE_PX = 8;
/** For each channel and level: the 1-norms of structure, added edges and lost edges, then their 4-norms. */
const NORMS = 6;

/** Index by channel (X, Y, B), level, norm and map, and value of the weights that are not left out. */
const WEIGHTS = new Map([
  [9, 1.1041726426657346],
  [15, 1.8422455520539298],
  [16, 11.441172603757666],
  [21, 1.8787594979546387],
  [22, 10.94906990605142],
  [25, 0.9677937080626833],
  [28, 0.9981766977854967],
  [39, 7.466890328078848],
  [41, 17.445833984131262],
  [45, 6.683678146179332],
  [47, 1.027889937768264],
  [48, 225.20515300849274],
  [51, 19.213238186143016],
  [54, 176.39317598450694],
  [57, 24.43300999870476],
  [58, 0.28520802612117757],
  [63, 34.77906344483772],
  [64, 44.835625328877896],
  [93, 8.826982764996862],
  [94, 23.19243343998926],
  [96, 95.1080498811086],
  [97, 0.9863978034400682],
  [98, 0.9834382792465353],
  [100, 171.2667255897307],
  [101, 0.9807858872435379],
]);
const SCALE = 0.9562382616834844;

interface Module extends WasmModule<'linearAt' | 'normsAt'> {
  begin(
    width: number,
    height: number,
    levels: number,
    used: number,
    channelsA: number,
    channelsB: number,
  ): void;
  samplesAt(image: number): number;
  mark(): void;
  markLevels(): void;
  push(): void;
  finish(): void;
}

const load = loadModule<Module>(SSIMULACRA2_MODULE, (module) => {
  const linear = Float32Array.from({ length: 256 }, (_, value) => srgbLight(value / 255));
  new Float32Array(module.memory.buffer).set(linear, module.linearAt() / 4);
});

/**
 * Returns the distance of two images of the same size, 0 if they are equal. Distances of 0.43, 0.83 and 1.31 are 90, 85 and 80 on
 * the published scale (see ssimulacra2Of), but the distance is nearly proportional to the errors.
 * @param a the original, RGB or RGBA of at least 8 × 8 px; alpha is ignored
 * @param whole dimensions of the image that contains `a`, so that both are weighted alike
 */
export function ssimulacra2Distance(a: Pixels, b: Pixels, whole: Dimensions = a): number {
  const { width, height } = a;
  const module = load();
  const levels = countLevels(a);
  const wholeLevels = countLevels(whole);
  module.begin(width, height, levels, usedChannels(wholeLevels), a.channels, b.channels);
  // Read late, because growing the memory replaces its buffer.
  const memory = new Uint8Array(module.memory.buffer);
  const [toA, toB] = [module.samplesAt(0), module.samplesAt(1)];
  const [rowA, rowB] = [width * a.channels, width * b.channels];
  const forEachRow = (take: () => void) => {
    for (let y = 0; y < height; y++) {
      memory.set(a.data.subarray(y * rowA, (y + 1) * rowA), toA);
      memory.set(b.data.subarray(y * rowB, (y + 1) * rowB), toB);
      take();
    }
  };
  forEachRow(() => module.mark());
  module.markLevels();
  forEachRow(() => module.push());
  module.finish();
  const norms = new Float64Array(module.memory.buffer, module.normsAt(), levels * 3 * NORMS);
  let sum = 0;
  for (let channel = 0; channel < 3; channel++) {
    for (let level = 0; level < levels; level++) {
      for (let norm = 0; norm < NORMS; norm++) {
        const weight = WEIGHTS.get(weightIndex(wholeLevels, channel, level) + norm) ?? 0;
        sum += weight * norms[(level * 3 + channel) * NORMS + norm];
      }
    }
  }
  return sum;
}

/** Converts a distance to the published scale: at most 100; 80 shows no difference side by side, about 90 none when flipping. */
export function ssimulacra2Of(distance: number): number {
  const s = distance * SCALE;
  const curve = 2.326765642916932 * s - 0.020884521182843837 * s ** 2 + 6.248496625763138e-5 * s ** 3;
  return curve > 0 ? 100 - 10 * curve ** 0.6276336467831387 : 100;
}

/** The published method numbers the weights consecutively, so smaller images use those of other levels. */
function weightIndex(levels: number, channel: number, level: number) {
  return (channel * levels + level) * NORMS;
}

function countLevels({ width, height }: Dimensions) {
  let side = Math.min(width, height);
  let levels = 1;
  for (; levels < MAX_LEVELS && side >= MIN_SIDE_PX; levels++) side = (side + 1) >> 1;
  return levels;
}

/** Three bits for each level: the channels that use one of its norms. */
function usedChannels(levels: number) {
  let used = 0;
  for (const index of WEIGHTS.keys()) {
    const place = Math.floor(index / NORMS);
    if (place < 3 * levels) used |= 1 << (3 * (place % levels) + Math.floor(place / levels));
  }
  return used;
}
