/** Photoshop image resources in APP13, which contain IPTC (Adobe Photoshop File Formats; IPTC-IIM 4.2). */
import { keepsPart, type KeptMetadata, type MetadataPart } from '../../domain/compression-policy';
import { text, uint16, uint32 } from '../byte-reader';
import { isRearranged, isReshaped, type Reshaping } from '../reshaping';
import { decodedText, type CarriedText, type CarriedTexts } from '../carried-texts';

export const PHOTOSHOP_HEADER = 'Photoshop 3.0\0';
const SIGNATURE = '8BIM';
const IPTC = 0x0404;
/** Embedded thumbnails, and copies of the profile, EXIF and XMP, which may be outdated. */
const NOT_COPIED = new Set([0x0409, 0x040c, 0x040f, 0x0422, 0x0423, 0x0424]);
/** Print resolution: two 16.16 numbers in pixels per inch, across and down, and their positions in the data. */
const RESOLUTION = { id: 0x03ed, bytes: 16, acrossAt: 0, downAt: 8 } as const;
/** Guides and slices: positions in pixels. */
const IN_PIXELS = new Set([0x0408, 0x041a]);
/** Paths: shares of width and height. */
const [FIRST_PATH, LAST_PATH] = [2000, 2998];
const TAG_MARKER = 0x1c;
/** Resources about printing, editing and coding. Excluded: IPTC, thumbnails, EXIF, XMP, links, and slices, which contain the file name. */
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

/** Returns the payload with the resources that apply to the new pixels; undefined if nothing is left. */
export function updatedResources(
  payload: Uint8Array,
  reshaped: Reshaping | undefined,
): Uint8Array | undefined {
  const kept = resourcesOf(payload).filter(
    ({ id }) =>
      !NOT_COPIED.has(id) &&
      !(isReshaped(reshaped) && IN_PIXELS.has(id)) &&
      !(isRearranged(reshaped) && id >= FIRST_PATH && id <= LAST_PATH),
  );
  const written = kept.flatMap((resource) =>
    resource.id === RESOLUTION.id && reshaped ? reshapedPrint(resource, reshaped) : [resource.raw],
  );
  return written.length > 0 ? assembled(written) : undefined;
}

/** Returns the resolution of the new pixels; empty if it is unreadable. */
function reshapedPrint({ raw, data }: Resource, { applied, scale }: Reshaping): Uint8Array[] {
  if (scale === 1 && applied < 5) return [raw];
  if (data.length !== RESOLUTION.bytes) return [];
  const now = Buffer.from(raw);
  const start = now.length - data.length;
  const [across, down] = [RESOLUTION.acrossAt, RESOLUTION.downAt].map((at) => now.readUInt32BE(start + at));
  now.writeUInt32BE(Math.round((applied >= 5 ? down : across) * scale), start + RESOLUTION.acrossAt);
  now.writeUInt32BE(Math.round((applied >= 5 ? across : down) * scale), start + RESOLUTION.downAt);
  return [now];
}

/** Returns a payload with only these parts of IPTC; undefined if it has none of them. */
export function iptcParts(payload: Uint8Array, keep: KeptMetadata): Uint8Array | undefined {
  const parts = (Object.keys(DATA_SETS) as MetadataPart[]).filter((part) => keepsPart(keep, part));
  const wanted = [CHARACTER_SET, ...parts.flatMap((part) => DATA_SETS[part])];
  const kept = iptcDataSets(payload).filter(({ name }) => wanted.includes(name));
  if (!kept.some(({ name }) => name !== CHARACTER_SET)) return undefined;
  const data = Buffer.concat(kept.map(({ raw }) => raw));
  const head = Buffer.alloc(12);
  head.write(SIGNATURE, 0, 'latin1');
  head.writeUInt16BE(IPTC, 4);
  head.writeUInt32BE(data.length, 8);
  return assembled([head, data, Buffer.alloc(data.length % 2)]);
}

/**
 * Returns whether the payload names persons or places, holds a thumbnail, or is unreadable.
 * @param keepsRights whether author and copyright are kept
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

interface DataSet {
  /** Record and data set number, such as 2:80. */
  readonly name: string;
  readonly value: Uint8Array;
  readonly raw: Uint8Array;
}

/** Returns the IPTC data sets of a payload. */
function iptcDataSets(payload: Uint8Array): DataSet[] {
  const iptc = resourcesOf(payload).find(({ id }) => id === IPTC);
  return iptc ? dataSetsOf(iptc.data) : [];
}

function dataSetsOf(iptc: Uint8Array): DataSet[] {
  const sets: DataSet[] = [];
  let at = 0;
  while (iptc[at] === TAG_MARKER) {
    const length = uint16(iptc, at + 3);
    // The highest bit marks an extended length field, which author and copyright never need.
    if (length === undefined || length >= 0x8000 || at + 5 + length > iptc.length) break;
    const raw = iptc.subarray(at, at + 5 + length);
    sets.push({ name: `${iptc[at + 1]}:${iptc[at + 2]}`, raw, value: raw.subarray(5) });
    at += 5 + length;
  }
  return sets;
}

/** The XMP property with the same text, by data set, and the part of the metadata to which it belongs. */
const XMP_OF_DATA_SET: Readonly<
  Record<string, { readonly part: MetadataPart; readonly property: CarriedText['property'] }>
> = {
  '2:80': { part: 'copyright', property: 'dc:creator' },
  '2:110': { part: 'copyright', property: 'photoshop:Credit' },
  '2:116': { part: 'copyright', property: 'dc:rights' },
  '2:55': { part: 'creation', property: 'photoshop:DateCreated' },
  '2:62': { part: 'creation', property: 'xmp:CreateDate' },
};
/** The data set with the time of each date. */
const TIMES: Readonly<Record<string, string>> = { '2:55': '2:60', '2:62': '2:63' };
const KNOWN_DATA_SETS = [...HARMLESS_DATA, ...Object.keys(XMP_OF_DATA_SET), ...Object.values(TIMES)];

/**
 * Returns the IPTC texts to keep that XMP can express.
 * @param payload of an APP13 segment
 */
export function iptcTexts(payload: Uint8Array, keep: KeptMetadata): CarriedTexts {
  const sets = iptcDataSets(payload);
  const texts = sets.flatMap((set) => {
    const same = Object.hasOwn(XMP_OF_DATA_SET, set.name) ? XMP_OF_DATA_SET[set.name] : undefined;
    if (!same || !keepsPart(keep, same.part)) return [];
    const value = set.name in TIMES ? dateOf(set, sets) : decodedText(set.value);
    return value ? [{ property: same.property, value }] : [];
  });
  return { texts, hasMore: keep === 'all' && sets.some(({ name }) => !KNOWN_DATA_SETS.includes(name)) };
}

/** Returns an eight-digit date, with its time if there is one, in the form of XMP. */
function dateOf({ name, value }: DataSet, sets: readonly DataSet[]): string | undefined {
  const date = /^(\d{4})(\d\d)(\d\d)$/.exec(decodedText(value));
  if (!date) return undefined;
  const time = sets.find((other) => other.name === TIMES[name])?.value;
  const clock = time && /^(\d\d)(\d\d)(\d\d)(?:([+-]\d\d)(\d\d))?$/.exec(decodedText(time));
  const zone = clock?.[4] ? `${clock[4]}:${clock[5]}` : '';
  return date.slice(1).join('-') + (clock ? `T${clock.slice(1, 4).join(':')}${zone}` : '');
}
