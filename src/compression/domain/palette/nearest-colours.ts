/** Finds the nearest palette colours by squaredDifference (assembly/nearest-colours.ts). One search is in use at a time. */
import { loadModule, type WasmModule } from '../load-module';
import { NEAREST_COLOURS_MODULE } from '../web-assembly';

const OPAQUE = 255;
const MOST = 256;
/** Fills up the last four palette colours. */
const NOWHERE = 1e9;
/** Opaque pixels need opaque colours, transparent ones transparent colours; all others suit any. */
const SETS = [(alpha: number) => alpha === OPAQUE, () => true, (alpha: number) => alpha === 0];

interface Module extends WasmModule<'countsAt' | 'coloursAt' | 'nearestAt' | 'leastAt' | 'secondAt'> {
  begin(colours: number): void;
  setAt(set: number): number;
  find(): void;
}

const load = loadModule<Module>(NEAREST_COLOURS_MODULE);

/**
 * The nearest and the second nearest palette colour of each colour. Its arrays lie in the memory of the
 * module: they are valid until the next search is made.
 */
export class NearestColours {
  /** To be filled in, in the form of onBlack. */
  readonly colours: Float32Array;
  /** The palette colour that is nearest to each colour; the first of equally near ones, 0 if none suits. */
  readonly nearest: Int32Array;
  /** Differences to the nearest and to the second nearest palette colour. */
  readonly least: Float32Array;
  readonly second: Float32Array;
  private readonly module = load();

  constructor(count: number) {
    const { module } = this;
    module.begin(count);
    const { buffer } = module.memory;
    this.colours = new Float32Array(buffer, module.coloursAt(), count * 4);
    this.nearest = new Int32Array(buffer, module.nearestAt(), count);
    this.least = new Float32Array(buffer, module.leastAt(), count);
    this.second = new Float32Array(buffer, module.secondAt(), count);
  }

  /** @param palette in the form of onBlack; the previous one by default */
  find(palette?: Float32Array): void {
    if (palette) this.setPalette(palette);
    this.module.find();
  }

  private setPalette(palette: Float32Array) {
    const { module } = this;
    const { buffer } = module.memory;
    const counts = new Uint32Array(buffer, module.countsAt(), SETS.length);
    SETS.forEach((suits, set) => {
      const planes = new Float32Array(buffer, module.setAt(set), 4 * MOST);
      const entries = new Int32Array(buffer, module.setAt(set) + planes.byteLength, MOST);
      let count = 0;
      for (let entry = 0; entry < palette.length / 4; entry++) {
        if (!suits(palette[entry * 4 + 3])) continue;
        for (let c = 0; c < 4; c++) planes[c * MOST + count] = palette[entry * 4 + c];
        entries[count++] = entry;
      }
      counts[set] = Math.ceil(count / 4);
      for (; count % 4 > 0; count++) for (let c = 0; c < 4; c++) planes[c * MOST + count] = NOWHERE;
    });
  }
}
