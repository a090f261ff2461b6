/** Photoshop's image resources, of which one is IPTC (Adobe Photoshop File Formats; IPTC-IIM 4.2). */
import { text, uint16, uint32 } from './byte-reader';

export const PHOTOSHOP_HEADER = 'Photoshop 3.0\0';
const SIGNATURE = '8BIM';
const IPTC = 0x0404;
const TAG_MARKER = 0x1c;
/** The record with the texts about an image. */
const APPLICATION_RECORD = 2;

/** Returns the resource IPTC, with its head. */
export function iptcResource(
  resources: Uint8Array,
): { readonly raw: Uint8Array; readonly data: Uint8Array } | undefined {
  // Signature, number, padded Pascal string, length, padded data.
  for (let at = 0; text(resources, at, at + 4) === SIGNATURE;) {
    const nameBytes = 1 + (resources[at + 6] ?? 0);
    const dataAt = at + 10 + nameBytes + (nameBytes % 2);
    const length = uint32(resources, dataAt - 4);
    if (length === undefined || dataAt + length > resources.length) return undefined;
    const end = dataAt + length + (length % 2);
    if (uint16(resources, at + 4) === IPTC)
      return { raw: resources.subarray(at, end), data: resources.subarray(dataAt, dataAt + length) };
    at = end;
  }
  return undefined;
}

export interface DataSet {
  readonly number: number;
  readonly value: Uint8Array;
}

/** Returns the texts about the image, by number of their data sets. */
export function iptcDataSets(iptc: Uint8Array): DataSet[] {
  const sets: DataSet[] = [];
  for (let at = 0; iptc[at] === TAG_MARKER;) {
    const length = uint16(iptc, at + 3);
    // The highest bit marks an extended length field, which names never need.
    if (length === undefined || length >= 0x8000 || at + 5 + length > iptc.length) break;
    const [record, number] = iptc.subarray(at + 1, at + 3);
    if (record === APPLICATION_RECORD) sets.push({ number, value: iptc.subarray(at + 5, at + 5 + length) });
    at += 5 + length;
  }
  return sets;
}
