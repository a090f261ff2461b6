/** The box `iloc`: where the data of each item are in the file (ISO/IEC 14496-12, 8.11.3). */
import { fullBox, type Box } from './boxes';

export interface ItemLocation {
  readonly id: number;
  readonly extents: readonly { readonly offset: number; readonly length: number }[];
}

/**
 * Reads versions 0 and 1 with positions relative to the file, as libheif and libavif write them.
 * @throws Error when the data of an item are elsewhere
 */
export function itemLocations({ content }: Box): ItemLocation[] {
  const version = content[0];
  const [offsetBytes, lengthBytes] = [content[4] >> 4, content[4] & 15];
  const [baseBytes, indexBytes] = [content[5] >> 4, version === 0 ? 0 : content[5] & 15];
  // Without bytes for positions, a few bytes would stand for millions of extents.
  const isKnown = version <= 1 && indexBytes === 0 && offsetBytes > 0 && lengthBytes > 0;
  if (!isKnown) throw new Error('The AVIF has an unknown kind of item location.');
  let at = 6;
  const next = (bytes: number): number => {
    const value = bytes === 0 ? 0 : Number(BigInt(`0x${content.toString('hex', at, at + bytes)}`));
    at += bytes;
    return value;
  };
  return Array.from({ length: next(2) }, () => {
    const id = next(2);
    const isInFile = (version === 0 || (next(2) & 15) === 0) && next(2) === 0;
    if (!isInFile) throw new Error('The data of an item are not in the file.');
    const base = next(baseBytes);
    const extents = Array.from({ length: next(2) }, () => ({
      offset: base + next(offsetBytes),
      length: next(lengthBytes),
    }));
    return { id, extents };
  });
}

/** Writes version 0 with 32-bit positions. */
export function writeItemLocations(locations: readonly ItemLocation[]): Uint8Array {
  const words = (...values: (readonly [value: number, bytes: number])[]) => {
    const out = Buffer.alloc(values.reduce((sum, [, bytes]) => sum + bytes, 0));
    values.reduce((at, [value, bytes]) => out.writeUIntBE(value, at, bytes), 0);
    return out;
  };
  return fullBox('iloc', 0, 0, [
    // Bytes of an offset and of a length, 4 each; no base offset.
    words([0x44, 1], [0x00, 1], [locations.length, 2]),
    ...locations.map(({ id, extents }) =>
      words(
        [id, 2],
        [0, 2],
        [extents.length, 2],
        ...extents.flatMap(({ offset, length }) => [[offset, 4] as const, [length, 4] as const]),
      ),
    ),
  ]);
}
