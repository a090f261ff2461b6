/** XMP packets (ISO 16684-1), by the usual prefixes of their properties. */

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const MAX_CHARACTERS = 4000;
const MAX_LIST_CHARACTERS = 16 * 1024;
/** A text without markup; bounded, so that a hostile packet is read in linear time. */
const ITEM = new RegExp(`<rdf:li(?:\\s[^<>]{0,200})?>([^<>]{1,${MAX_CHARACTERS}})</rdf:li>`, 'g');
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const MAX_CODE_POINT = 0x10ffff;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

export function xmpTexts(packet: string, name: string): string[] {
  const value = (quote: string) => `${quote}([^${quote}<]{1,${MAX_CHARACTERS}})${quote}`;
  const attribute = new RegExp(`\\s${name}=(?:${value('"')}|${value("'")})`).exec(packet);
  if (attribute) return [unescaped(attribute[1] || attribute[2])];
  const start = packet.search(new RegExp(`<${name}[\\s>]`));
  const end = start < 0 ? -1 : packet.indexOf(`</${name}>`, start);
  if (end < 0 || end - start > MAX_LIST_CHARACTERS) return [];
  const content = packet.slice(packet.indexOf('>', start) + 1, end);
  const items = [...content.matchAll(ITEM)].map(([, item]) => item);
  return (content.includes('<') ? items : [content]).map(unescaped);
}

function unescaped(text: string): string {
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
  const attributes = parts.map((part) => part.attributes).join('');
  const elements = parts.map((part) => part.elements).join('');
  const description = `<rdf:Description rdf:about=""${attributes}>${elements}</rdf:Description>`;
  return Buffer.from(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${RDF}">${description}</rdf:RDF></x:xmpmeta>`,
  );
}

/** `Alt` holds one text in several languages. */
export function xmpElement(name: string, list: 'Alt' | 'Seq' | 'Bag' | undefined, texts: readonly string[]) {
  const escaped = texts.map((text) => text.replace(/[&<>]/g, (character) => ESCAPES[character]));
  if (!list) return `<${name}>${escaped.join('; ')}</${name}>`;
  const items =
    list === 'Alt'
      ? `<rdf:li xml:lang="x-default">${escaped.join('; ')}</rdf:li>`
      : escaped.map((text) => `<rdf:li>${text}</rdf:li>`).join('');
  return `<${name}><rdf:${list}>${items}</rdf:${list}></${name}>`;
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
  return POSITIONS.test(Buffer.from(packet).toString('latin1'));
}
