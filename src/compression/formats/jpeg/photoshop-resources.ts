/** Photoshop image resources in APP13, which contain IPTC (Adobe Photoshop File Formats; IPTC-IIM 4.2). */
import { keepsPart, type KeptMetadata, type MetadataPart } from '../../domain/compression-policy';
import { text, uint16, uint32 } from '../byte-reader';

export const PHOTOSHOP_HEADER = 'Photoshop 3.0\0';
const SIGNATURE = '8BIM';
const IPTC = 0x0404;
/** Embedded thumbnails, and a copy of the profile, which may no longer apply after a conversion. */
const NOT_COPIED = new Set([0x0409, 0x040c, 0x040f]);
const TAG_MARKER = 0x1c;
/**
 * Resources about printing, editing and coding. Not among them: IPTC, thumbnails, EXIF, XMP, links, and slices, which have the
 * name of the file.
 */
const HARMLESS = new Set([
  0x03ed, 0x03f3, 0x03f5, 0x03f8, 0x0400, 0x0406, 0x0408, 0x040a, 0x040d, 0x0411, 0x0414, 0x0419, 0x0421,
  0x0425, 0x0426, 0x0428, 0x2710,
]);
/** Record and data set number of the character set, which the texts need. */
const CHARACTER_SET = '1:90';
/** Record and data set numbers of the character set and of the version of the records. */
const HARMLESS_DATA = [CHARACTER_SET, '2:0'];
/** By-line, credit and copyright notice; date and time of creation, and of digitization. IPTC has no position. */
const DATA_SETS: Readonly<Record<MetadataPart, readonly string[]>> = {
  copyright: ['2:80', '2:110', '2:116'],
  creation: ['2:55', '2:60', '2:62', '2:63'],
  location: [],
};

interface Resource {
  readonly id: number;
  readonly data: Uint8Array;
  readonly raw: Uint8Array;
}

/** Returns the payload without thumbnails and profile; undefined if nothing is left. */
export function withoutThumbnails(payload: Uint8Array): Uint8Array | undefined {
  const kept = resourcesOf(payload).filter(({ id }) => !NOT_COPIED.has(id));
  return kept.length > 0 ? assembled(kept.map(({ raw }) => raw)) : undefined;
}

/** Returns a payload with only these parts of IPTC; undefined if it has none of them. */
export function iptcParts(payload: Uint8Array, keep: KeptMetadata): Uint8Array | undefined {
  const parts = (Object.keys(DATA_SETS) as MetadataPart[]).filter((part) => keepsPart(keep, part));
  const wanted = [CHARACTER_SET, ...parts.flatMap((part) => DATA_SETS[part])];
  const iptc = resourcesOf(payload).find(({ id }) => id === IPTC);
  const kept = iptc ? dataSetsOf(iptc.data).filter(({ name }) => wanted.includes(name)) : [];
  if (!kept.some(({ name }) => name !== CHARACTER_SET)) return undefined;
  const data = Buffer.concat(kept.map(({ raw }) => raw));
  const head = Buffer.alloc(12);
  head.write(SIGNATURE, 0, 'latin1');
  head.writeUInt16BE(IPTC, 4);
  head.writeUInt32BE(data.length, 8);
  return assembled([head, data, Buffer.alloc(data.length % 2)]);
}

/**
 * Returns whether the payload names persons or places, holds a thumbnail, or cannot be read.
 * @param keepsRights whether author and copyright are to be kept
 */
export function isPrivatePhotoshop(payload: Uint8Array, keepsRights: boolean): boolean {
  const resources = resourcesOf(payload);
  const readBytes = resources.reduce((sum, { raw }) => sum + raw.length, PHOTOSHOP_HEADER.length);
  if (readBytes < payload.length) return true;
  return resources.some(({ id, data }) =>
    id === IPTC ? isPrivateIptc(data, keepsRights) : !HARMLESS.has(id),
  );
}

function isPrivateIptc(iptc: Uint8Array, keepsRights: boolean): boolean {
  const sets = dataSetsOf(iptc);
  const readBytes = sets.reduce((sum, { raw }) => sum + raw.length, 0);
  if (iptc.subarray(readBytes).some((byte) => byte !== 0)) return true;
  const harmless = [...HARMLESS_DATA, ...(keepsRights ? DATA_SETS.copyright : [])];
  return sets.some(({ name }) => !harmless.includes(name));
}

function assembled(resources: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat([Buffer.from(PHOTOSHOP_HEADER, 'latin1'), ...resources]);
}

/** Parses resources: signature, number, padded Pascal string, length, padded data. Skips a truncated resource. */
function resourcesOf(payload: Uint8Array): Resource[] {
  const resources: Resource[] = [];
  let at = PHOTOSHOP_HEADER.length;
  while (text(payload, at, at + 4) === SIGNATURE) {
    const nameBytes = 1 + (payload[at + 6] ?? 0);
    const lengthAt = at + 6 + nameBytes + (nameBytes % 2);
    const id = uint16(payload, at + 4);
    const length = uint32(payload, lengthAt);
    if (id === undefined || length === undefined || lengthAt + 4 + length > payload.length) break;
    const end = lengthAt + 4 + length + (length % 2);
    const data = payload.subarray(lengthAt + 4, lengthAt + 4 + length);
    resources.push({ id, data, raw: payload.subarray(at, end) });
    at = end;
  }
  return resources;
}

function dataSetsOf(iptc: Uint8Array): { readonly name: string; readonly raw: Uint8Array }[] {
  const sets: { name: string; raw: Uint8Array }[] = [];
  let at = 0;
  while (iptc[at] === TAG_MARKER) {
    const length = uint16(iptc, at + 3);
    // The highest bit marks an extended length field, which author and copyright never need.
    if (length === undefined || length >= 0x8000 || at + 5 + length > iptc.length) break;
    sets.push({ name: `${iptc[at + 1]}:${iptc[at + 2]}`, raw: iptc.subarray(at, at + 5 + length) });
    at += 5 + length;
  }
  return sets;
}
