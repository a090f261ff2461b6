/** The WebAssembly module of the score (source: assembly/), with its lookup tables. */
import { loadModule } from '../load-module';
import { FINE_STRUCTURE_MODULE } from '../web-assembly';
import { LUMINANCE_SHARES, RESPONSE, LINEAR_16 } from './linear-light';

/** The exports of the module, explained in assembly/fine-structure.ts. Addresses are offsets into its memory. */
export interface ScoreModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  lightTable(): number;
  responseTable(): number;
  begin(width: number, height: number, tiles: number, strips: number, bytesOfPixel: number): void;
  samplesAt(): number;
  fineAt(): number;
  fineBytes(): number;
  planesAt(): number;
  planesBytes(): number;
  beginTile(index: number): void;
  readReference(strips: number, isEdge: boolean): void;
  compare(strips: number, isEdge: boolean): void;
  fineLoss(): number;
  structureLoss(plane: number, power: number): number;
  edgeLoss(plane: number, power: number): number;
  planeAt(plane: number, ofCandidate: boolean): number;
}

/** Subtracted from responses: values around 0 lose less precision when they are squared as floats. */
const HALF_WHITE = RESPONSE[RESPONSE.length - 1] / 2;

let loaded: ScoreModule | undefined;

/** Returns the instance of this process. It holds one image at a time. */
export function scoreModule(): ScoreModule {
  return (loaded ??= load());
}

function load(): ScoreModule {
  const module = loadModule(FINE_STRUCTURE_MODULE) as ScoreModule;
  const { buffer } = module.memory;
  const table = new Uint32Array(buffer, module.lightTable(), LUMINANCE_SHARES.length * LINEAR_16.length * 2);
  LUMINANCE_SHARES.forEach((share, channel) => {
    const rounding = channel === 0 ? 2 ** 15 : 0;
    LINEAR_16.forEach((light, sample) => {
      table.set([light, light * share + rounding], (channel * LINEAR_16.length + sample) * 2);
    });
  });
  const responses = RESPONSE.map((value) => value - HALF_WHITE);
  new Float32Array(buffer, module.responseTable(), responses.length).set(responses);
  return module;
}
