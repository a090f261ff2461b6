/**
 * Data in metadata that are neither redundant nor private, such as prompts and depth maps: programs read them, so a report names those
 * that go. What is known to be redundant or private (thumbnails, maker notes, positions, histories of editors, short texts) goes in silence;
 * everything else counts as data.
 */
import type { RemovedData } from '../../contract/report-words';
import { asBuffer, text } from './bytes';
import { TAG } from './exif';
import type { RightsSources } from './rights';
import { TiffReader } from './tiff';
import { xmpNames } from './xmp';

export interface FoundData {
  readonly kind: RemovedData;
  /** Infinity where the kind is known. */
  readonly bytes: number;
}

/** A longer text, or a longer part of an unknown kind, is worth keeping a file as it is. */
const MAX_UNKNOWN_BYTES = 256;

export const knownData = (kind: RemovedData): FoundData => ({ kind, bytes: Infinity });
export const unknownData = (bytes: number): FoundData => ({ kind: 'other-data', bytes });

/** Returns the kinds of which a new file holds fewer. */
export function lostKinds(before: readonly FoundData[], after: readonly FoundData[]): RemovedData[] {
  const count = (found: readonly FoundData[], wanted: RemovedData) =>
    found.filter(({ kind }) => kind === wanted).length;
  const kinds = [...new Set(before.map(({ kind }) => kind))];
  return kinds.filter((kind) => count(after, kind) < count(before, kind));
}

/** The same of data for whose sake `ics` leaves a file alone. Any change makes content credentials invalid. */
export function neededKinds(before: readonly FoundData[], after: readonly FoundData[]): RemovedData[] {
  const isNeeded = ({ kind, bytes }: FoundData) =>
    kind !== 'content-credentials' && bytes > MAX_UNKNOWN_BYTES;
  return lostKinds(before.filter(isNeeded), after.filter(isNeeded));
}

/** Not data for whose sake a file is left alone. */
const OF_CODING: readonly string[] = [
  'content-credentials',
  'bit-depth',
  'colour-profile',
  'kept-metadata',
  'xmp-positions',
] satisfies RemovedData[];

/** The same of what a report says was removed. */
export function neededAmong(removed: readonly RemovedData[]): RemovedData[] {
  return removed.filter((kind) => !OF_CODING.includes(kind));
}

/** Every MP4 and QuickTime file begins with an `ftyp` box; some vendors store other data before it. */
export function holdsVideo(bytes: Uint8Array): boolean {
  return asBuffer(bytes).includes('ftyp', 0, 'latin1');
}

/** Returns what the bytes are that no reader of the format knows, such as those behind its end. Zeros and spaces are nothing. */
export function unreadData(rest: Uint8Array): RemovedData[] {
  if (holdsVideo(rest)) return ['motion-video'];
  return /[^\0- ]/.test(text(rest)) ? ['other-data'] : [];
}

/** As Stable Diffusion programs, ComfyUI and Midjourney write them. */
const PROMPT =
  /Negative prompt:|\bSteps: \d+, |"(?:seed|prompt|sampler|class_type)"\s*:|^(?:prompt|workflow):\s*\{|Job ID: [\da-f]{8}-/i;

/** A text that describes the image in a few words goes in silence. */
export function textData(words: string): FoundData[] {
  if (PROMPT.test(words)) return [knownData('prompt')];
  return words.length > MAX_UNKNOWN_BYTES ? [unknownData(words.length)] : [];
}

export function blockData({ exif, xmp }: RightsSources): FoundData[] {
  return [...(exif ? exifData(exif) : []), ...(xmp ? xmpData(text(xmp)) : [])];
}

/** Tags of TIFF, EXIF, Windows and GDI+, copies of other blocks, print data, and padding. */
const STANDARD_TAGS = [
  ...[0x00fe, 0x0214, 0x02bc, 0x02bc, 0x1000, 0x1002, 0x4746, 0x4749, 0x5000, 0x5fff, 0x8298, 0x83bb],
  ...[0x8649, 0x8649, 0x8769, 0x8773, 0x8822, 0x8835, 0x9000, 0x9fff, 0xa000, 0xa5ff, 0xc4a5, 0xc4a5],
  ...[0xea1c, 0xea1d],
];
/** ComfyUI stores its workflow as the maker. */
const TEXT_TAGS: readonly number[] = [TAG.description, TAG.make, TAG.model, TAG.windowsComment];
const CHARACTER_CODE = /^(?:ASCII|UNICODE|JIS)/;

/** An unreadable block is data, too. */
export function exifData(tiff: Uint8Array): FoundData[] {
  const reader = TiffReader.open(tiff);
  if (!reader) return [unknownData(tiff.length)];
  const { entries } = reader.directory();
  const inside = reader.subdirectory(entries.get(TAG.exif))?.entries ?? [];
  return [...entries, ...inside].flatMap(([tag, entry]) => {
    // UTF-16 without its zeros is Latin-1, where it is.
    const words = () => text(reader.value(entry)).replaceAll('\0', '').trim();
    if (tag === TAG.userComment) return textData(words().replace(CHARACTER_CODE, '').trim());
    if (TEXT_TAGS.includes(tag)) return textData(words()).filter(({ kind }) => kind === 'prompt');
    const at = STANDARD_TAGS.findIndex((bound) => tag <= bound);
    const isStandard = at >= 0 && (at % 2 === 1 || tag === STANDARD_TAGS[at]);
    return isStandard || entry.byteLength <= MAX_UNKNOWN_BYTES ? [] : [unknownData(entry.byteLength)];
  });
}

const DATA_PREFIXES: Readonly<Record<string, RemovedData>> = {
  GDepth: 'depth',
  GImage: 'other-pictures',
  GPano: 'panorama',
};
/** Prefixes of descriptions, rights, regions, cameras, editors and their histories, and of gain maps. */
const DESCRIPTIVE = new Set(
  (
    'x xml xmlns rdf xmp xap xmpMM xapMM xmpRights xapRights xmpBJ xmpTPg xmpDM xmpG xmpGImg xapGImg xmpidq xmpNote stRef ' +
    'stEvt stVer stJob stDim stFnt stMfs stArea dc photoshop tiff exif exifEX aux crs crd crss crlcp lr lightroom pdf pdfx ' +
    'illustrator creatorAtom Iptc4xmpCore Iptc4xmpExt plus cc mwg-rs mwg-kw mwg-coll MicrosoftPhoto MP MPRI MPReg acdsee ' +
    'acdsee-rs digiKam mediapro expressionmedia GettyImagesGIFT darktable apple-fi ast nine xmpDSA drone-dji GCamera ' +
    'GContainer Container Item hdrgm HDRGainMap apdi MiCamera OpCamera GFocus GCreations Attrib prism prl desc'
  ).split(' '),
);

/** @param packet in Latin-1, with its extension */
export function xmpData(packet: string): FoundData[] {
  const prefixes = new Set(
    xmpNames(packet).flatMap((name) => (name.includes(':') ? [name.slice(0, name.indexOf(':'))] : [])),
  );
  const known = [...prefixes].flatMap((prefix) => DATA_PREFIXES[prefix] ?? []).map(knownData);
  const isUnknown = (prefix: string) => !DESCRIPTIVE.has(prefix) && !Object.hasOwn(DATA_PREFIXES, prefix);
  return [
    ...known,
    ...(PROMPT.test(packet.replaceAll('&quot;', '"')) ? [knownData('prompt')] : []),
    ...([...prefixes].some(isUnknown) ? [unknownData(packet.length)] : []),
  ];
}
