import assert from 'node:assert/strict';
import type { CodecEngine } from '../../src/compression/application/codecs.port';
import type { Pixels } from '../../src/compression/domain/pixels';
import { pngOfPixels } from '../../src/compression/formats/png/png-chunks';
import { noise } from '../support/images';

/** A check may return why it had nothing to do. */
export type Checks<Subject> = Readonly<Record<string, (subject: Subject) => Promise<unknown>>>;

export const ORIENTATIONS = [1, 2, 3, 4, 5, 6, 7, 8] as const;

export const refuses = (work: () => Promise<unknown>, what: string) =>
  assert.rejects(work, { code: 'undecodable_image' }, what);

export const equal = (a: Uint8Array | undefined, b: Uint8Array | undefined, what?: string) =>
  assert.deepEqual(a && Buffer.from(a), b && Buffer.from(b), what);

export const sizeOf = ({ width, height }: { readonly width: number; readonly height: number }) => [
  width,
  height,
];

export const SIZES = [
  [1, 1],
  [16, 16],
  [50, 33],
] as const;
export const CHANNELS = [1, 3, 4] as const;
export type Steps = Record<string, () => Promise<Uint8Array | undefined>>;

/** Images of which traces could stay in the memory of the codecs. */
const OTHERS = [1, 2].map((seed) => CHANNELS.map((channels) => noise(40 + seed * 10, 60, channels, seed)));

/** Fails if a step's bytes depend on images compressed before: a worker serves several accounts with one codec. */
export async function staySame(
  steps: Steps,
  { png }: CodecEngine,
  compressOther: (other: Pixels) => Promise<unknown>,
) {
  const first = new Map<string, Uint8Array | undefined>();
  for (const [what, run] of Object.entries(steps)) first.set(what, await run());
  for (const others of OTHERS) {
    for (const other of others) await png.optimise(pngOfPixels(other));
    for (const [what, run] of Object.entries(steps)) {
      for (const other of others) await compressOther(other);
      equal(await run(), first.get(what), what);
    }
  }
}
