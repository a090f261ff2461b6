/** The parts of an XMP packet that describe the data after the image: GContainer's directory and the fields of motion photos. */
import { XMP_HEADER } from './jpeg-markers';

const MOTION =
  'G?Camera:(?:MotionPhoto|MotionPhotoVersion|MotionPhotoPresentationTimestampUs' +
  '|MicroVideo|MicroVideoVersion|MicroVideoOffset|MicroVideoPresentationTimestampUs)';
const ITEM = 'Item:(?:Mime|Semantic|Length|Padding)';
const MOTION_VALUES = new RegExp(`\\b${MOTION}(?:=["']|>)\\s*-?\\d+`, 'g');
const ITEM_VALUES = new RegExp(`\\b${ITEM}(?:=["']|>)\\s*[\\w/.+-]+`, 'g');
/** Names of elements and of attributes. */
const NAMES = /<\/?\s*([\w.:-]+)|\s([\w.:-]+)\s*=\s*["']/g;
const HARMLESS_NAME = new RegExp(
  `^(?:(?:x|rdf|xml|xmlns|hdrgm):[\\w.-]+|${MOTION}|${ITEM}|G?Container:(?:Directory|Item))$`,
);
const NAMESPACES =
  ' xmlns:Container="http://ns.google.com/photos/1.0/container/"' +
  ' xmlns:Item="http://ns.google.com/photos/1.0/container/item/"' +
  ' xmlns:GCamera="http://ns.google.com/photos/1.0/camera/"';

/** Returns whether an XMP payload describes only the data after the image and the display of its gain map. */
export function describesOnlyWhatFollows(payload: Uint8Array): boolean {
  const names = [...packetOf(payload).matchAll(NAMES)].map(([, element, attribute]) => element || attribute);
  return names.every((name) => HARMLESS_NAME.test(name));
}

/** Returns the XMP payload reduced to the description of the data after the image; empty if there is none. */
export function directoryOnly(payload: Uint8Array): Uint8Array[] {
  if (describesOnlyWhatFollows(payload)) return [payload];
  const packet = packetOf(payload);
  const motion = [...packet.matchAll(MOTION_VALUES)].map(([field]) =>
    attribute(field.replace(/^Camera/, 'GCamera')),
  );
  const items = itemsOf(packet);
  if (motion.length === 0 && items.length === 0) return [];
  const directory = [
    '<x:xmpmeta xmlns:x="adobe:ns:meta/">',
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""',
    NAMESPACES,
    ...motion.map((field) => ` ${field}`),
    '><Container:Directory><rdf:Seq>',
    ...items.map((item) => `<rdf:li rdf:parseType="Resource"><Container:Item ${item.join(' ')}/></rdf:li>`),
    '</rdf:Seq></Container:Directory></rdf:Description></rdf:RDF></x:xmpmeta>',
  ];
  return [Buffer.from(XMP_HEADER + directory.join(''), 'latin1')];
}

/** Returns the attributes of each item in the directory. A repeated name begins the next item. */
function itemsOf(packet: string): string[][] {
  const items: Map<string, string>[] = [];
  for (const [field] of packet.matchAll(ITEM_VALUES)) {
    const written = attribute(field);
    const [name] = written.split('=');
    if (items.at(-1)?.has(name) ?? true) items.push(new Map());
    items.at(-1)?.set(name, written);
  }
  return items.map((item) => [...item.values()]);
}

/** Returns a field, whether stored as an attribute or an element, as an attribute. */
function attribute(field: string): string {
  const [name, value] = field.split(/=["']|>/);
  return `${name}="${value.trim()}"`;
}

function packetOf(payload: Uint8Array): string {
  return Buffer.from(payload.subarray(XMP_HEADER.length)).toString('latin1');
}
