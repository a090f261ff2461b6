/**
 * Author, owner and rights, and how the image was made (IPTC digital source type): read from EXIF, XMP, IPTC, content credentials and the
 * texts of a PNG, and written afresh as EXIF and XMP.
 */
import { text, uint16, uint32 } from './bytes';
import { statedSourceType, strongestSourceType } from './content-credentials';
import { TAG } from './exif';
import { asciiField, TiffReader, TYPE, type TiffField } from './tiff';
import {
  withUsualPrefixes,
  withXmpParts,
  xmpElement,
  xmpNames,
  xmpTexts,
  type XmpForm,
  type XmpPart,
  type XmpText,
} from './xmp';

interface Property {
  readonly form?: XmpForm;
  /** The same fact elsewhere; the last form of the keywords is ImageMagick's. */
  readonly exif?: number;
  /** A tag in UTF-16 that Windows writes. */
  readonly windows?: number;
  readonly iptc?: number;
  readonly keyword?: RegExp;
}

const SOURCE_TYPE = 'Iptc4xmpExt:DigitalSourceType';
/** A term of the vocabularies of IPTC and C2PA, with or without their address: no other text stays, which may be private. */
const SOURCE_TYPES =
  /^(?:https?:\/\/(?:cv\.iptc\.org\/newscodes|c2pa\.org)\/digitalsourcetype\/)?[a-z]{1,40}\/?$/i;
const LICENSOR_URL = 'plus:LicensorURL';

const PROPERTIES: Readonly<Record<string, Property>> = {
  [SOURCE_TYPE]: {},
  'dc:creator': {
    ...{ form: 'Seq', exif: TAG.artist, windows: TAG.windowsAuthor, iptc: 80 },
    keyword: /^(?:author|artist|exif:artist)$/i,
  },
  'dc:rights': { form: 'Alt', exif: TAG.copyright, iptc: 116, keyword: /^(?:exif:)?copyright$/i },
  'photoshop:Credit': { iptc: 110 },
  'xmpRights:Marked': {},
  'xmpRights:WebStatement': {},
  'xmpRights:UsageTerms': { form: 'Alt' },
  'xmpRights:Owner': { form: 'Bag' },
  'cc:license': { form: 'resource' },
  [LICENSOR_URL]: {},
};
const NAMESPACES: Readonly<Record<string, string>> = {
  Iptc4xmpExt: 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/',
  cc: 'http://creativecommons.org/ns#',
  dc: 'http://purl.org/dc/elements/1.1/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  plus: 'http://ns.useplus.org/ldf/xmp/1.0/',
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
  /** Bytes that contain the manifest store of C2PA. */
  readonly credentials?: Uint8Array | undefined;
  readonly texts?: readonly { readonly keyword: string; readonly value: Uint8Array }[];
}

export type Rights = ReadonlyMap<string, readonly XmpText[]>;

/** @param isComplete without it, only the digital source type is read */
export function readRights(
  { exif, xmp, resources = [], credentials, texts = [] }: RightsSources,
  isComplete: boolean,
): Rights {
  const reader = exif && TiffReader.open(exif);
  const entries = reader?.directory().entries;
  const readTag = (tag: number | undefined, encoding: 'utf-8' | 'utf-16le') => {
    const entry = tag === undefined ? undefined : entries?.get(tag);
    const type = encoding === 'utf-8' ? TYPE.ascii : TYPE.byte;
    return reader && entry?.type === type ? splitParts(reader.value(entry), encoding) : [];
  };
  const packet = xmp ? decodedPacket(xmp) : '';
  const sets = resources.flatMap((one) => iptcDataSets(iptcResource(one)?.data ?? new Uint8Array()));
  const made = credentials && statedSourceType(credentials);
  let left = MAX_CHARACTERS;
  const isWithinLimit = ({ text: { length } }: XmpText) => {
    const characters = length + MARKUP_CHARACTERS;
    if (characters > left) return false;
    left -= characters;
    return true;
  };
  const rights = new Map<string, readonly XmpText[]>();
  for (const [name, { form, exif: tag, windows, iptc: number, keyword }] of Object.entries(PROPERTIES)) {
    if (!isComplete && name !== SOURCE_TYPE) continue;
    const others = [
      ...readTag(windows, 'utf-16le'),
      ...sets.filter((set) => set.number === number).flatMap(({ value }) => splitParts(value)),
      ...texts.filter((one) => keyword?.test(one.keyword)).flatMap(({ value }) => splitParts(value)),
    ];
    const found = [...readTag(tag, 'utf-8'), ...xmpTexts(packet, name), ...others];
    if (name === SOURCE_TYPE && made) found.push({ text: made });
    const values = new Map<string, XmpText>();
    for (const { text: whole, language } of found) {
      // EXIF has a single text for all authors.
      for (const part of form === 'Seq' ? whole.split(';') : [whole]) {
        const clean = part.replace(CONTROLS, '').trim();
        if (clean.length === 0 || (name === SOURCE_TYPE && !SOURCE_TYPES.test(clean))) continue;
        values.set(`${language} ${clean}`, { text: clean, language });
      }
    }
    const all = [...values.values()];
    const strongest = name === SOURCE_TYPE && strongestSourceType(all.map((one) => one.text));
    const kept = (strongest ? [{ text: strongest }] : all).filter(isWithinLimit);
    if (kept.length > 0) rights.set(name, kept);
  }
  return rights;
}

export function statesSourceType(xmp: Uint8Array | undefined): boolean {
  return readRights({ xmp }, false).size > 0;
}

/** Returns the packet, with the digital source type if only content credentials state it. */
export function labelledPacket({ xmp, credentials }: RightsSources): Uint8Array | undefined {
  if (!xmp || statesSourceType(xmp)) return xmp;
  return withXmpParts(xmp, rightsXmp(readRights({ credentials }, false)));
}

const LABEL_NAME = /^(?:(?:x|rdf|xml|xmlns):[\w.-]+|Iptc4xmpExt:DigitalSourceType)$/;

/** Whether a packet states the digital source type, and nothing else that a reader finds. */
export function statesOnlySourceType(packet: Uint8Array): boolean {
  const markup = decodedPacket(packet).replace(/<\?xpacket[^<>]{0,200}\?>/g, '');
  const outside = markup.replace(/<[^<>]*>/g, '').trim();
  return (
    statesSourceType(packet) &&
    !markup.includes('<!') &&
    xmpNames(markup).every((name) => LABEL_NAME.test(name)) &&
    (outside === '' || SOURCE_TYPES.test(outside))
  );
}

export function namesRights(keyword: string): boolean {
  return Object.values(PROPERTIES).some((property) => property.keyword?.test(keyword));
}

/** Zeros separate the texts of photographer and editor in EXIF. */
function splitParts(bytes: Uint8Array, encoding?: 'utf-8' | 'utf-16le'): XmpText[] {
  if (bytes.length > 4 * MAX_CHARACTERS) return [];
  return decoded(bytes, encoding)
    .split('\0')
    .map((part) => ({ text: part }));
}

function decodedPacket(xmp: Uint8Array) {
  return withUsualPrefixes(decoded(xmp).replaceAll('\0', ''), NAMESPACES);
}

function decoded(bytes: Uint8Array, encoding: 'utf-8' | 'utf-16le' = 'utf-8') {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return text(bytes);
  }
}

export function rightsFields(rights: Rights): TiffField[] {
  return Object.entries(PROPERTIES).flatMap(([name, { exif: tag }]) => {
    const texts = rights.get(name)?.flatMap(({ text: one, language }) => (language ? [] : [one])) ?? [];
    return tag && texts.length > 0 ? [asciiField(tag, texts.join('; '))] : [];
  });
}

export function rightsXmp(rights: Rights): XmpPart[] {
  if (rights.size === 0) return [];
  const prefixes = new Set([...rights.keys()].map((name) => name.slice(0, name.indexOf(':'))));
  const namespaces = [...prefixes].map((prefix) => ` xmlns:${prefix}="${NAMESPACES[prefix]}"`);
  // An attribute takes fewer bytes, so that a copy without private parts is not larger than its file.
  const label = rights.get(SOURCE_TYPE)?.slice(0, 1) ?? [];
  const attributes = label.map(({ text: one }) => ` ${SOURCE_TYPE}="${one}"`);
  const elements = [...rights].map(([name, texts]) => {
    if (name === SOURCE_TYPE) return '';
    const element = xmpElement(name, PROPERTIES[name].form, texts);
    if (name !== LICENSOR_URL) return element;
    return `<plus:Licensor><rdf:Seq><rdf:li rdf:parseType="Resource">${element}</rdf:li></rdf:Seq></plus:Licensor>`;
  });
  return [{ attributes: [...namespaces, ...attributes].join(''), elements: elements.join('') }];
}

const SIGNATURE = '8BIM';
const IPTC = 0x0404;
const TAG_MARKER = 0x1c;
const APPLICATION_RECORD = 2;

interface PhotoshopResource {
  readonly number: number | undefined;
  /** With its head. */
  readonly raw: Uint8Array;
  readonly data: Uint8Array;
}

/** Photoshop's image resources (Adobe Photoshop File Formats). */
function* photoshopResources(resources: Uint8Array): Generator<PhotoshopResource> {
  // Signature, number, padded Pascal string, length, padded data.
  for (let at = 0; text(resources, at, at + 4) === SIGNATURE;) {
    const nameBytes = 1 + (resources[at + 6] ?? 0);
    const dataAt = at + 10 + nameBytes + (nameBytes % 2);
    const length = uint32(resources, dataAt - 4);
    if (length === undefined || dataAt + length > resources.length) return;
    const end = dataAt + length + (length % 2);
    const number = uint16(resources, at + 4);
    yield { number, raw: resources.subarray(at, end), data: resources.subarray(dataAt, dataAt + length) };
    at = end;
  }
}

export function iptcResource(resources: Uint8Array): PhotoshopResource | undefined {
  return [...photoshopResources(resources)].find(({ number }) => number === IPTC);
}

/** Whether there are paths, with which layout programs clip the image. */
export function holdsPaths({ resources = [] }: RightsSources): boolean {
  const found = resources.flatMap((one) => [...photoshopResources(one)]);
  return found.some(({ number = 0 }) => number >= 2000 && number <= 2997);
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
