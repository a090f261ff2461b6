/** Author, owner and rights: read from EXIF, XMP, IPTC and the texts of a PNG, and written afresh as EXIF and XMP. */
import { text, uint16, uint32 } from './byte-reader';
import { TAG } from './exif';
import { asciiField, TiffReader, TYPE, type TiffField } from './tiff';
import { xmpElement, xmpTexts, type XmpPart } from './xmp';

interface Property {
  readonly list?: 'Alt' | 'Seq' | 'Bag';
  /** The same fact elsewhere; the last form of the keywords is ImageMagick's. */
  readonly exif?: number;
  readonly iptc?: number;
  readonly keyword?: RegExp;
}

const PROPERTIES: Readonly<Record<string, Property>> = {
  'dc:creator': { list: 'Seq', exif: TAG.artist, iptc: 80, keyword: /^(?:author|artist|exif:artist)$/i },
  'dc:rights': { list: 'Alt', exif: TAG.copyright, iptc: 116, keyword: /^(?:exif:)?copyright$/i },
  'photoshop:Credit': { iptc: 110 },
  'xmpRights:Marked': {},
  'xmpRights:WebStatement': {},
  'xmpRights:UsageTerms': { list: 'Alt' },
  'xmpRights:Owner': { list: 'Bag' },
};
const NAMESPACES: Readonly<Record<string, string>> = {
  dc: 'http://purl.org/dc/elements/1.1/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  xmpRights: 'http://ns.adobe.com/xap/1.0/rights/',
};
/** Limit of all texts with their markup; in UTF-8 and escaped for XML they still fit into a segment of a JPEG. */
const MAX_CHARACTERS = 10_000;
const MARKUP_CHARACTERS = 20;
const CONTROLS = /[\0-\x08\v\f\x0e-\x1f]/g;

export interface RightsSources {
  readonly exif?: Uint8Array | undefined;
  readonly xmp?: Uint8Array | undefined;
  readonly resources?: readonly Uint8Array[];
  readonly texts?: readonly { readonly keyword: string; readonly value: Uint8Array }[];
}

export type Rights = ReadonlyMap<string, readonly string[]>;

export function readRights({ exif, xmp, resources = [], texts = [] }: RightsSources): Rights {
  const reader = exif && TiffReader.open(exif);
  const entries = reader?.directory().entries;
  const readText = (tag: number) => {
    const entry = entries?.get(tag);
    return reader && entry?.type === TYPE.ascii ? splitParts(reader.value(entry)) : [];
  };
  const packet = xmp ? decoded(xmp).replaceAll('\0', '') : '';
  const sets = resources.flatMap((one) => iptcDataSets(iptcResource(one)?.data ?? new Uint8Array()));
  let left = MAX_CHARACTERS;
  const isWithinLimit = ({ length }: string) => {
    const characters = length + MARKUP_CHARACTERS;
    if (characters > left) return false;
    left -= characters;
    return true;
  };
  const rights = new Map<string, readonly string[]>();
  for (const [name, { list, exif: tag, iptc: number, keyword }] of Object.entries(PROPERTIES)) {
    const inXmp = xmpTexts(packet, name);
    const found = [
      ...(tag ? readText(tag) : []),
      ...(list === 'Alt' ? inXmp.slice(0, 1) : inXmp),
      ...sets.filter((set) => set.number === number).flatMap(({ value }) => splitParts(value)),
      ...texts.filter((text) => keyword?.test(text.keyword)).flatMap(({ value }) => splitParts(value)),
    ];
    // EXIF has a single text for all authors.
    const single = list === 'Seq' ? found.flatMap((text) => text.split(';')) : found;
    const values = [...new Set(single.map((text) => text.replace(CONTROLS, '').trim()))];
    const kept = values.filter((text) => text.length > 0).filter(isWithinLimit);
    if (kept.length > 0) rights.set(name, kept);
  }
  return rights;
}

export function namesRights(keyword: string): boolean {
  return Object.values(PROPERTIES).some((property) => property.keyword?.test(keyword));
}

/** Zeros separate the texts of photographer and editor in EXIF. */
function splitParts(bytes: Uint8Array): string[] {
  return bytes.length > 4 * MAX_CHARACTERS ? [] : decoded(bytes).split('\0');
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}

export function rightsFields(rights: Rights): TiffField[] {
  return Object.entries(PROPERTIES).flatMap(([name, { exif: tag }]) => {
    const texts = rights.get(name);
    return tag && texts ? [asciiField(tag, texts.join('; '))] : [];
  });
}

export function rightsXmp(rights: Rights): XmpPart[] {
  if (rights.size === 0) return [];
  const prefixes = new Set([...rights.keys()].map((name) => name.slice(0, name.indexOf(':'))));
  return [
    {
      attributes: [...prefixes].map((prefix) => ` xmlns:${prefix}="${NAMESPACES[prefix]}"`).join(''),
      elements: [...rights].map(([name, texts]) => xmpElement(name, PROPERTIES[name].list, texts)).join(''),
    },
  ];
}

const SIGNATURE = '8BIM';
const IPTC = 0x0404;
const TAG_MARKER = 0x1c;
const APPLICATION_RECORD = 2;

/** Returns the resource IPTC, with its head, of Photoshop's image resources (Adobe Photoshop File Formats). */
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

/** Returns the texts about the image, by number of their data sets (IPTC-IIM 4.2). */
function iptcDataSets(iptc: Uint8Array): { readonly number: number; readonly value: Uint8Array }[] {
  const sets = [];
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
