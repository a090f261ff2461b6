/**
 * Where the score spends its time: brightness at full size, of which structural similarity is taken (see window-ssim.ts),
 * and linear light at a quarter. A picture is walked through once, strip by strip, in WebAssembly with SIMD (source:
 * assembly/fine-structure.ts), and no plane of floating-point numbers is made of it but of the reference.
 */
import type { Dimensions } from '../dimensions';
import type { Pixels, Plane } from '../pixels';
import { FINE_STRUCTURE_MODULE } from './fine-structure-module';
import { BRIGHTNESS_SHARES, LinearLight, RESPONSE, WHOLE } from './linear-light';
import { brightnessPlane, meanLight } from './perceptual-planes';
import { pooledLoss } from './window-ssim';

export interface FineComparison {
  /** Fourth-power mean of the losses of all windows; 0 when the brightness of both is the same. */
  readonly loss: number;
  /** Of the candidate, averaged over blocks of 4×4. */
  readonly light: LinearLight;
}

/** What the module exports; addresses are offsets into its memory. */
interface Module {
  readonly memory: { readonly buffer: ArrayBuffer };
  lightTable(): number;
  responseTable(): number;
  begin(width: number, strips: number): void;
  samplesAt(): number;
  lightAt(): number;
  referenceAt(): number;
  brightenStrips(strips: number): void;
  compareStrips(strips: number): void;
  leap(): void;
  loss(): number;
}

/** TypeScript knows it from browsers only. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (compiled: object) => { readonly exports: unknown };
};

const WINDOW = 8;
const BLOCK = 4;
const CHANNELS = 3;
/** Bytes of each picture that are handed over at a time: what a processor keeps at hand. */
const BYTES_AT_A_TIME = 2 ** 16;

let loaded: Module | undefined;

/** A picture made ready once, to be compared with many of its size. */
export class FineReference {
  /** Averaged over blocks of 4×4. */
  readonly light: LinearLight;
  private readonly brightness: Plane;

  /** @param pixels RGB */
  constructor(pixels: Pixels) {
    const { width, height } = pixels;
    if (isSmall(pixels)) {
      this.light = meanLight(pixels);
      this.brightness = brightnessPlane(pixels);
      return;
    }
    const data = new Float32Array(width * height);
    this.brightness = { width, height, data };
    this.light = inStrips(pixels, ({ module, strips, row }) => {
      module.brightenStrips(strips);
      const made = new Float32Array(module.memory.buffer, module.referenceAt(), strips * BLOCK * width);
      data.set(made, row * width);
    }).light;
  }

  /** @param candidate RGB, of the same size */
  compare(candidate: Pixels): FineComparison {
    if (isSmall(candidate)) {
      const loss = pooledLoss(this.brightness, brightnessPlane(candidate), 4);
      return { loss, light: meanLight(candidate) };
    }
    const { width, height, data } = this.brightness;
    const { module, light } = inStrips(candidate, ({ module, strips, row, isLeap }) => {
      if (isLeap) module.leap();
      const wanted = data.subarray(row * width, (row + strips * BLOCK) * width);
      new Float32Array(module.memory.buffer, module.referenceAt(), wanted.length).set(wanted);
      module.compareStrips(strips);
    });
    return { loss: (module.loss() / (windows(width) * windows(height))) ** (1 / 4), light };
  }
}

function isSmall({ width, height }: Dimensions): boolean {
  return width < WINDOW || height < WINDOW;
}

interface Batch {
  readonly module: Module;
  readonly row: number;
  readonly strips: number;
  /** It does not lie below the one before. */
  readonly isLeap: boolean;
}

/** Hands a picture over, some strips of four rows at a time, and collects its light. */
function inStrips({ width, height, data }: Pixels, work: (batch: Batch) => void) {
  const module = (loaded ??= load());
  const rows = Math.floor(height / BLOCK);
  const columns = Math.floor(width / BLOCK);
  const stripBytes = BLOCK * width * CHANNELS;
  const most = Math.max(1, Math.min(rows, Math.floor(BYTES_AT_A_TIME / stripBytes)));
  module.begin(width, most);
  // Not before: room may have been made, which moves the memory.
  const { buffer } = module.memory;
  const add = (row: number, strips: number, isLeap = false) => {
    const start = row * width * CHANNELS;
    new Uint8Array(buffer, module.samplesAt()).set(data.subarray(start, start + strips * stripBytes));
    work({ module, row, strips, isLeap });
  };
  const light = new LinearLight(columns, rows);
  for (let row = 0; row < rows; row += most) {
    const strips = Math.min(most, rows - row);
    add(row * BLOCK, strips);
    light.fill(new Uint32Array(buffer, module.lightAt(), strips * columns * CHANNELS), row * columns);
  }
  if (height % BLOCK !== 0) {
    // Windows that begin on no multiple of 4, at the bottom edge.
    add(height - WINDOW, 1, true);
    add(height - BLOCK, 1);
  }
  return { module, light };
}

/** Along one side: at multiples of 4, and one that ends at the edge. */
function windows(length: number): number {
  return Math.ceil((length - WINDOW) / BLOCK) + 1;
}

function load(): Module {
  const compiled = new WebAssembly.Module(Buffer.from(FINE_STRUCTURE_MODULE, 'base64'));
  const module = new WebAssembly.Instance(compiled).exports as Module;
  const { buffer } = module.memory;
  const table = new Uint32Array(buffer, module.lightTable(), CHANNELS * WHOLE.length * 2);
  BRIGHTNESS_SHARES.forEach((share, channel) => {
    const rounding = channel === 0 ? 2 ** 15 : 0;
    WHOLE.forEach((light, sample) => {
      table.set([light, light * share + rounding], (channel * WHOLE.length + sample) * 2);
    });
  });
  new Float32Array(buffer, module.responseTable(), RESPONSE.length).set(RESPONSE);
  return module;
}
