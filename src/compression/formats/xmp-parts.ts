/**
 * Copies parts of an XMP packet (ISO 16684-1) into a new one: author and copyright, time, and place. It reads the packet as text,
 * property by property, and identifies properties by their usual prefixes; everything else is dropped.
 */
import { keepsPart, type KeptMetadata, type MetadataPart } from '../domain/compression-policy';
import type { WrittenMetadata } from './reshaping';
import { updatedXmp } from './xmp';

/** A text, or a list of texts; an `Alt` holds the same text in several languages. */
type Shape = 'text' | 'Alt' | 'Seq' | 'Bag';

const PROPERTIES: Readonly<Record<MetadataPart, Readonly<Record<string, Shape>>>> = {
  copyright: {
    'dc:rights': 'Alt',
    'dc:creator': 'Seq',
    'photoshop:Credit': 'text',
    'xmpRights:Marked': 'text',
    'xmpRights:WebStatement': 'text',
    'xmpRights:UsageTerms': 'Alt',
    'xmpRights:Owner': 'Bag',
  },
  creation: {
    'xmp:CreateDate': 'text',
    'exif:DateTimeOriginal': 'text',
    'exif:DateTimeDigitized': 'text',
    'photoshop:DateCreated': 'text',
  },
  location: {
    'exif:GPSLatitude': 'text',
    'exif:GPSLongitude': 'text',
    'exif:GPSAltitude': 'text',
    'exif:GPSAltitudeRef': 'text',
    'exif:GPSMapDatum': 'text',
    'exif:GPSImgDirection': 'text',
    'exif:GPSImgDirectionRef': 'text',
  },
};
const NAMESPACES: Readonly<Record<string, string>> = {
  dc: 'http://purl.org/dc/elements/1.1/',
  exif: 'http://ns.adobe.com/exif/1.0/',
  photoshop: 'http://ns.adobe.com/photoshop/1.0/',
  xmp: 'http://ns.adobe.com/xap/1.0/',
  xmpRights: 'http://ns.adobe.com/xap/1.0/rights/',
};
const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
/** Longer lists are not names. */
const MAX_LIST_CHARACTERS = 16 * 1024;
/** A text without markup; bounded, so that a hostile packet is read in linear time. */
const ITEM = /<rdf:li(?:\s[^<>]{0,200})?>([^<>]{1,4000})<\/rdf:li>/g;

/** Returns the packet of the new file; undefined if nothing is kept. If only parts are kept, it is no longer than the old one. */
export function xmpToKeep(packet: Uint8Array, written: WrittenMetadata): Uint8Array | undefined {
  return written.keep === 'all' ? updatedXmp(packet, written) : xmpWithParts(packet, written.keep);
}

/** Returns a packet with only these parts; undefined if it would be empty. */
function xmpWithParts(packet: Uint8Array, keep: KeptMetadata): Uint8Array | undefined {
  // Latin-1 maps each byte to one character, so text in UTF-8 stays intact.
  const text = Buffer.from(packet).toString('latin1');
  const parts = Object.keys(PROPERTIES) as MetadataPart[];
  const found = parts
    .filter((part) => keepsPart(keep, part))
    .flatMap((part) => Object.entries(PROPERTIES[part]))
    .flatMap(([name, shape]) => {
      const property = shape === 'text' ? textProperty(text, name) : listProperty(text, name, shape);
      return property ? [{ name, ...property }] : [];
    });
  if (found.length === 0) return undefined;
  const attributes = found.map(({ attribute = '' }) => attribute).join('');
  const elements = found.map(({ element = '' }) => element).join('');
  const about = ' rdf:about=""' + namespacesOf(found.map(({ name }) => name));
  const isWrapped = text.includes('<x:xmpmeta');
  // A description without content is not valid XMP, and would add bytes; some readers rely on the usual prefixes.
  return [about, '']
    .map((declarations) => {
      const rdf = `<rdf:RDF xmlns:rdf="${RDF}"><rdf:Description${declarations}${attributes}>${elements}</rdf:Description></rdf:RDF>`;
      const whole = isWrapped ? `<x:xmpmeta xmlns:x="adobe:ns:meta/">${rdf}</x:xmpmeta>` : rdf;
      return Buffer.from(whole, 'latin1');
    })
    .find(({ length }) => length <= packet.length);
}

/** Returns the namespace declarations for the prefixes of these names. */
function namespacesOf(names: readonly string[]): string {
  const prefixes = new Set(names.map((name) => name.slice(0, name.indexOf(':'))));
  return [...prefixes].map((prefix) => ` xmlns:${prefix}="${NAMESPACES[prefix]}"`).join('');
}

/** A property as written in its packet. */
interface Property {
  readonly attribute?: string;
  readonly element?: string;
}

/** Reads `name="text"` and `<name>text</name>`. */
function textProperty(text: string, name: string): Property | undefined {
  const attribute = new RegExp(`\\s(${name}=(?:"[^"<>]{1,4000}"|'[^'<>]{1,4000}'))`).exec(text)?.[1];
  if (attribute) return { attribute: ` ${attribute}` };
  const element = new RegExp(`<${name}>[^<>]{1,4000}</${name}>`).exec(text)?.[0];
  return element === undefined ? undefined : { element };
}

function listProperty(text: string, name: string, shape: Exclude<Shape, 'text'>): Property | undefined {
  const start = text.indexOf(`<${name}>`);
  const end = start < 0 ? -1 : text.indexOf(`</${name}>`, start);
  if (end < 0 || end - start > MAX_LIST_CHARACTERS) return undefined;
  const items = [...text.slice(start, end).matchAll(ITEM)].map(([, item]) => item);
  return items.length > 0 ? { element: elementOf(name, shape, items) } : undefined;
}

function elementOf(name: string, shape: Shape, items: readonly string[]): string {
  const list =
    shape === 'Alt'
      ? `<rdf:li xml:lang="x-default">${items[0]}</rdf:li>`
      : items.map((item) => `<rdf:li>${item}</rdf:li>`).join('');
  return shape === 'text'
    ? `<${name}>${items[0]}</${name}>`
    : `<${name}><rdf:${shape}>${list}</rdf:${shape}></${name}>`;
}

/** Returns whether a packet has a property. */
export function hasProperty(packet: Uint8Array, name: string): boolean {
  return new RegExp(`[<\\s]${name}[\\s=>/]`).test(Buffer.from(packet).toString('latin1'));
}

/**
 * Returns the packet with more properties, in a separate description; undefined if it is unreadable.
 * @param packet undefined for a new one
 * @param texts escaped values by name, in Latin-1
 */
export function withProperties(
  packet: Uint8Array | undefined,
  texts: ReadonlyMap<string, readonly string[]>,
): Uint8Array | undefined {
  const shapes: Readonly<Record<string, Shape>> = { ...PROPERTIES.copyright, ...PROPERTIES.creation };
  const elements = [...texts].map(([name, items]) => elementOf(name, shapes[name], items)).join('');
  const description = `<rdf:Description rdf:about=""${namespacesOf([...texts.keys()])}>${elements}</rdf:Description>`;
  const empty = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${RDF}"></rdf:RDF></x:xmpmeta>`;
  const text = packet ? Buffer.from(packet).toString('latin1') : empty;
  const at = text.lastIndexOf('</rdf:RDF>');
  return at < 0 ? undefined : Buffer.from(text.slice(0, at) + description + text.slice(at), 'latin1');
}
