/**
 * Copies parts of an XMP packet (ISO 16684-1) into a new one: who made and owns the image, when it was made, and where. The
 * packet is read as text, property by property, identified by their usual prefixes; whatever is not asked for stays behind.
 */
import { keepsPart, type KeptMetadata, type MetadataPart } from '../domain/compression-policy';
import type { Dimensions, Orientation } from '../domain/dimensions';
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

/** Returns the packet of the new file; undefined if nothing is kept. */
export function xmpToKeep(
  packet: Uint8Array,
  written: {
    readonly keep: KeptMetadata;
    readonly orientation: Orientation;
    readonly dimensions: Dimensions;
  },
): Uint8Array | undefined {
  return written.keep === 'all' ? updatedXmp(packet, written) : xmpWithParts(packet, written.keep);
}

/** Returns a packet with only these parts; undefined if it would be empty. */
function xmpWithParts(packet: Uint8Array, keep: KeptMetadata): Uint8Array | undefined {
  // Latin-1 maps each byte to one character, so text in UTF-8 stays intact.
  const text = Buffer.from(packet).toString('latin1');
  const prefixes = new Set<string>();
  const parts = Object.keys(PROPERTIES) as MetadataPart[];
  const written = parts
    .filter((part) => keepsPart(keep, part))
    .flatMap((part) => Object.entries(PROPERTIES[part]))
    .map(([name, shape]) => {
      const property = shape === 'text' ? textProperty(text, name) : listProperty(text, name, shape);
      if (property) prefixes.add(name.slice(0, name.indexOf(':')));
      return property;
    })
    .join('');
  if (!written) return undefined;
  const namespaces = [...prefixes].map((prefix) => ` xmlns:${prefix}="${NAMESPACES[prefix]}"`).join('');
  return Buffer.from(
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${RDF}"><rdf:Description rdf:about=""${namespaces}>${written}</rdf:Description></rdf:RDF></x:xmpmeta>`,
    'latin1',
  );
}

/** Reads `name="text"` and `<name>text</name>`. */
function textProperty(text: string, name: string): string {
  const value =
    new RegExp(`[\\s]${name}=(?:"([^"<>]{1,4000})"|'([^'<>]{1,4000})')`).exec(text) ??
    new RegExp(`<${name}>([^<>]{1,4000})</${name}>`).exec(text);
  const found = value?.[1] ?? value?.[2];
  return found === undefined ? '' : `<${name}>${found}</${name}>`;
}

function listProperty(text: string, name: string, shape: Exclude<Shape, 'text'>): string {
  const start = text.indexOf(`<${name}>`);
  const end = start < 0 ? -1 : text.indexOf(`</${name}>`, start);
  if (end < 0 || end - start > MAX_LIST_CHARACTERS) return '';
  const items = [...text.slice(start, end).matchAll(ITEM)].map(([, item]) => item);
  if (items.length === 0) return '';
  const list =
    shape === 'Alt'
      ? `<rdf:li xml:lang="x-default">${items[0]}</rdf:li>`
      : items.map((item) => `<rdf:li>${item}</rdf:li>`).join('');
  return `<${name}><rdf:${shape}>${list}</rdf:${shape}></${name}>`;
}
