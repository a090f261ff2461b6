/** XMP packets (ISO 16684-1), by the usual prefixes of their properties. */
import { text as latin1 } from './bytes';

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const MAX_CHARACTERS = 4000;
const MAX_LIST_CHARACTERS = 16 * 1024;
/** A text without markup; bounded, so that a hostile packet is read in linear time. */
const ITEM = new RegExp(`<rdf:li(\\s[^<>]{0,200})?>([^<>]{1,${MAX_CHARACTERS}})</rdf:li>`, 'g');
const LANGUAGE = /\sxml:lang=["']([\w-]{1,35})["']/;
const DEFAULT_LANGUAGE = 'x-default';
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const MAX_CODE_POINT = 0x10ffff;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const DECLARATION = /\sxmlns:([\w.-]{1,40})=["']([^"'<>]{1,100})["']/g;
/** Of an element or an attribute. */
const PREFIX = /(?<=<\/?|\s(?=[\w.:-]{1,80}=))([\w.-]{1,40}):/g;

/** Returns the packet with the prefixes that it declares for these namespaces replaced by the usual ones. @param namespaces by usual prefix */
export function withUsualPrefixes(packet: string, namespaces: Readonly<Record<string, string>>): string {
  const usual = new Map(Object.entries(namespaces).map(([prefix, namespace]) => [namespace, prefix]));
  const renamed = new Map<string, string>();
  for (const [, own, namespace] of packet.matchAll(DECLARATION)) {
    const prefix = usual.get(namespace);
    if (prefix && prefix !== own) renamed.set(own, prefix);
  }
  if (renamed.size === 0) return packet;
  return packet.replace(/<[^<>]*>/g, (tag) =>
    tag.replace(PREFIX, (_, own: string) => `${renamed.get(own) ?? own}:`),
  );
}

export interface XmpText {
  readonly text: string;
  /** RFC 3066; absent for the default text. */
  readonly language?: string | undefined;
}

/** Returns the values of a property: of an attribute, an element, a list, or the address of a resource. */
export function xmpTexts(packet: string, name: string): XmpText[] {
  const value = (quote: string) => `${quote}([^${quote}<]{1,${MAX_CHARACTERS}})${quote}`;
  const either = `=(?:${value('"')}|${value("'")})`;
  const found =
    new RegExp(`\\s${name}${either}`).exec(packet) ??
    new RegExp(`<${name}\\s[^<>]{0,200}?\\brdf:resource${either}`).exec(packet);
  if (found) return [{ text: unescaped(found[1] || found[2]) }];
  const start = packet.search(new RegExp(`<${name}[\\s>]`));
  const end = start < 0 ? -1 : packet.indexOf(`</${name}>`, start);
  if (end < 0 || end - start > MAX_LIST_CHARACTERS) return [];
  const content = packet.slice(packet.indexOf('>', start) + 1, end);
  if (!content.includes('<')) return [{ text: unescaped(content) }];
  return [...content.matchAll(ITEM)].map(([, attributes = '', item], i) => {
    const language = LANGUAGE.exec(attributes)?.[1];
    // The first text is the default one, whatever its language.
    const isDefault = i === 0 || language === DEFAULT_LANGUAGE;
    return { text: unescaped(item), language: isDefault ? undefined : language };
  });
}

const NAMES = /<\/?\s*([\w.:-]+)|\s([\w.:-]+)\s*=\s*["']/g;

/** Returns the names of all elements and attributes. */
export function xmpNames(packet: string): string[] {
  return [...packet.matchAll(NAMES)].map(([, element, attribute]) => element || attribute);
}

function unescaped(text: string) {
  return text.replace(/&(#?)(x?)(\w{1,6});/g, (whole, isNumber: string, isHex: string, name: string) => {
    if (!isNumber) return ENTITIES[isHex + name] ?? whole;
    const code = parseInt(name, isHex ? 16 : 10);
    return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
}

export interface XmpPart {
  readonly attributes: string;
  readonly elements: string;
}

export function xmpPacket(parts: readonly XmpPart[]): Uint8Array | undefined {
  if (parts.length === 0) return undefined;
  const description = describing(parts);
  return Buffer.from(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${RDF}">${description}</rdf:RDF></x:xmpmeta>`,
  );
}

function describing(parts: readonly XmpPart[]) {
  const attributes = parts.map((part) => part.attributes).join('');
  const elements = parts.map((part) => part.elements).join('');
  return `<rdf:Description rdf:about=""${attributes}>${elements}</rdf:Description>`;
}

const RDF_END = '</rdf:RDF>';
/** A longer packet might no longer fit into a segment of a JPEG. */
const MAX_EXTENDED_BYTES = 60_000;

/** Returns the packet with more properties; unchanged if there are none, it is long, or its prefix for RDF is not the usual one. */
export function withXmpParts(packet: Uint8Array, parts: readonly XmpPart[]): Uint8Array {
  const end = Buffer.from(packet).lastIndexOf(RDF_END);
  if (parts.length === 0 || packet.length > MAX_EXTENDED_BYTES || end < 0) return packet;
  return Buffer.concat([packet.subarray(0, end), Buffer.from(describing(parts)), packet.subarray(end)]);
}

/** How a property holds its texts: lists; `Alt` is one text in several languages; the address of a resource. */
export type XmpForm = 'Alt' | 'Seq' | 'Bag' | 'resource';

export function xmpElement(name: string, form: XmpForm | undefined, texts: readonly XmpText[]): string {
  const escaped = (some: readonly XmpText[]) =>
    some.map(({ text }) => text.replace(/[&<>"]/g, (character) => ESCAPES[character]));
  if (!form) return `<${name}>${escaped(texts).join('; ')}</${name}>`;
  if (form === 'resource') return `<${name} rdf:resource="${escaped(texts)[0]}"/>`;
  const inLanguage = (language: string, some: readonly XmpText[]) =>
    `<rdf:li xml:lang="${language}">${escaped(some).join('; ')}</rdf:li>`;
  const items =
    form === 'Alt'
      ? [
          inLanguage(
            DEFAULT_LANGUAGE,
            texts.filter(({ language }) => !language),
          ),
          ...texts.flatMap((text) => (text.language ? [inLanguage(text.language, [text])] : [])),
        ]
      : escaped(texts).map((text) => `<rdf:li>${text}</rdf:li>`);
  return `<${name}><rdf:${form}>${items.join('')}</rdf:${form}></${name}>`;
}

/** Also regions (MWG, Microsoft, ACDSee, IPTC), the crop of Camera Raw, panoramas, depth maps and thumbnails. */
const POSITIONS = new RegExp(
  `\\b(?:${[
    'tiff:(?:Orientation|ImageWidth|ImageLength|[XY]Resolution)',
    'exif:(?:Pixel[XY]Dimension|Subject(?:Area|Location)|FocalPlane[XY]Resolution)',
    '(?:mwg-rs|acdsee-rs|stDim|stArea|GPano|GDepth|GImage):',
    'MP:RegionInfo|Iptc4xmpExt:ImageRegion|crs:(?:Crop|HasCrop)|(?:xmp|xap):Thumbnails',
  ].join('|')})`,
);

export function statesPositions(packet: Uint8Array): boolean {
  return POSITIONS.test(latin1(packet));
}
