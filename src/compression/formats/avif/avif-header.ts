/** Reads the header of an AVIF: what its items and their properties say (ISO/IEC 23008-12; MIAF; AV1 Image File Format). */
import { cutOff, undecodable } from '../../../contract/image-problems';
import type { RemovedData } from '../../../contract/report-words';
import { once } from '../../domain/once';
import { uprightSize, type Dimensions, type Orientation, type Position } from '../../domain/dimensions';
import { text, uint16, uint32 } from '../bytes';
import { unreadData } from '../embedded-data';
import { exifToKeep } from '../exif';
import type { UploadBlocks } from '../embedded-blocks';
import type { StillHeader } from '../still-header';
import { readAv1Sequence, UNSPECIFIED, type Av1Sequence } from './av1-sequence';
import { isXmp, readAvifItems, type AvifItems, type Item } from './avif-items';
import { isMarker } from './avif-metadata';
import type { Box } from './boxes';

/** Codes of ITU-T H.273: those of sRGB, and transfers that viewers treat alike. */
const SRGB_PRIMARIES = [1, UNSPECIFIED];
const SRGB_TRANSFER = 13;
const SRGB_TRANSFERS = [1, UNSPECIFIED, 6, SRGB_TRANSFER, 14, 15];
/** Types of items: an AV1 image, and an image with its gain map applied. */
const CODED = 'av01';
const GAIN_MAP = 'tmap';
/** Properties that turn and cut an image. */
const TRANSFORMS = ['irot', 'imir', 'clap'];
const KNOWN_BOXES = ['ftyp', 'meta', 'mdat', 'moov', 'free', 'skip'];
/** What programs may leave between the data of items. */
const MAX_UNUSED_BYTES = 256;
/** What auxiliary images are, by their URN (MIAF 7.3.5; ISO/IEC 23008-12, 6.5.8). */
const AUXILIARY: readonly (readonly [pattern: RegExp, data: RemovedData | undefined])[] = [
  [/:alpha$|auxid:1$/, undefined],
  [/:depth$|auxid:2$/, 'depth'],
  [/gainmap/i, 'gain-map'],
];
/** EXIF's orientation for rotations by 90° anticlockwise, then not mirrored, top to bottom, left to right. */
const ORIENTATIONS: readonly (readonly Orientation[])[] = [
  [1, 4, 2],
  [8, 5, 7],
  [3, 2, 4],
  [6, 7, 5],
];

/** How the stored pixels become the shown ones: what is cut out, and then their EXIF orientation. */
export interface AvifLayout extends Pick<Av1Sequence, 'bitDepth' | 'isMonochrome' | 'isLimited'> {
  readonly clip?: Position & Dimensions;
  readonly orientation: Orientation;
  /** Whether colours are multiplied by alpha. */
  readonly isPremultiplied: boolean;
  /** Whether alpha lacks the properties that turn and cut the image. They hold for both (MIAF 7.3.5.2), but libheif leaves such alpha as it is stored. */
  readonly isAlphaApart: boolean;
}

/** @throws ImageRefused `undecodable_image` */
export function readAvifHeader(avif: Uint8Array): StillHeader {
  return read(avif, (file) => describe(file, text(avif, 8, 12) === 'avis'));
}

/** @throws ImageRefused `undecodable_image` */
export function readAvifLayout(avif: Uint8Array): AvifLayout {
  return read(avif, layout);
}

/** Returns a copy of the file whose image is neither turned nor cut, nor is its alpha. @throws ImageRefused `undecodable_image` */
export function withStoredLayout(avif: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(avif);
  return read(copy, (file) => {
    for (const id of [file.primary, ...alphaOf(file)]) file.unlink(id, TRANSFORMS);
    return copy;
  });
}

function read<T>(avif: Uint8Array, found: (file: AvifItems) => T) {
  try {
    return found(readAvifItems(avif));
  } catch (error) {
    throw error instanceof RangeError ? cutOff('AVIF') : undecodable('AVIF');
  }
}

function describe(file: AvifItems, isAnimated: boolean): StillHeader {
  const { items, primary, properties } = file;
  const sequencesOf = sequenceReader(file);
  const { orientation, clip } = layout(file);
  const dimensions = uprightSize(clip ?? sizeOf(properties(primary)), orientation);
  const auxiliary = auxiliaryOf(file).map((id) => auxiliaryData(properties(id)));
  const alpha = alphaOf(file);
  const exif = items.find(({ type }) => type === 'Exif')?.data();
  const tiff = exif?.subarray(4 + (uint32(exif, 0) ?? 0));
  // The properties of the image turn it, whatever EXIF says (ISO/IEC 23008-12, A.2.1).
  const upright = exifToKeep(tiff, { keep: 'all', orientation: 1, dimensions });
  const xmp = items.find(isXmp)?.data();
  const credentials = file.top.find(isContentCredentials)?.content;
  const isUnknown = (item: Item) => item.type === 'mime' && !isXmp(item);
  return {
    dimensions,
    codedPixels: Math.max(
      ...[primary, ...alpha].map((id) =>
        sequencesOf(id).reduce((sum, { width, height }) => sum + width * height, 0),
      ),
    ),
    orientation: 1,
    isAnimated,
    mayBeTransparent: alpha.length > 0,
    isLossy: true,
    blocks: {
      ...readColours(file),
      ...(upright && { exif: upright }),
      ...(xmp && { xmp }),
      ...(credentials && { credentials }),
    },
    removed: [
      ...new Set([
        ...auxiliary.filter((data) => data !== undefined),
        ...(items.some(({ type }) => type === GAIN_MAP) ? (['gain-map'] as const) : []),
        ...(items.some(isUnknown) ? (['other-data'] as const) : []),
        ...unreadBoxes(file).flatMap((box) =>
          isContentCredentials(box) ? (['content-credentials'] as const) : unreadData(box.content),
        ),
      ]),
    ],
  };
}

/** Derived images may be derived again: a grid that is turned. */
const MOST_DERIVED = 4;

/** Returns the coded images of which an image consists: itself, or its tiles. Reads each once, as many images may share tiles. */
function sequenceReader({ items, references }: AvifItems) {
  const inputs = new Map(references.flatMap(({ type, from, to }) => (type === 'dimg' ? [[from, to]] : [])));
  const coded = new Map(
    items.flatMap((item) =>
      item.type === CODED ? [[item.id, once(() => readAv1Sequence(item.data()))]] : [],
    ),
  );
  return (image: number) => {
    let ids: readonly number[] = [image];
    for (let level = 0; level < MOST_DERIVED; level++)
      ids = [...new Set(ids.flatMap((id) => inputs.get(id) ?? [id]))];
    return ids.map((id) => {
      const read = coded.get(id);
      if (!read) throw new Error('The image is not coded as AV1.');
      return read();
    });
  };
}

/** Of an image; real ones have a few. Each may name all tiles. */
const MOST_AUXILIARY = 16;

function auxiliaryOf({ references, primary }: AvifItems) {
  const linked = references.filter(({ type, to }) => type === 'auxl' && to.includes(primary));
  const ids = new Set(linked.map(({ from }) => from));
  if (ids.size > MOST_AUXILIARY) throw new Error('There are too many auxiliary images.');
  return [...ids];
}

function alphaOf(file: AvifItems) {
  return auxiliaryOf(file).filter((id) => auxiliaryData(file.properties(id)) === undefined);
}

/** Boxes besides the image, and data that no item has. */
function unreadBoxes({ top, items }: AvifItems): readonly Pick<Box, 'type' | 'content'>[] {
  const others = top.filter((box) => !KNOWN_BOXES.includes(box.type) && !isMarker(box));
  const media = top.filter(({ type }) => type === 'mdat');
  const held = media.reduce((sum, { content }) => sum + content.length, 0);
  const used = items.reduce((sum, item) => sum + item.data().length, 0);
  // The frames of a sequence are no items.
  const isAll = top.some(({ type }) => type === 'moov') || held - used <= MAX_UNUSED_BYTES;
  return isAll ? others : [...others, ...media];
}

function isContentCredentials({ type, content }: Pick<Box, 'type' | 'content'>) {
  return type === 'uuid' && content.toString('hex', 0, 4) === 'd8fec3d6';
}

/** Undefined for transparency. */
function auxiliaryData(properties: readonly Box[]) {
  const urn = properties.find(({ type }) => type === 'auxC')?.content;
  const [name] = urn ? text(urn, 4).split('\0') : [''];
  const known = AUXILIARY.find(([pattern]) => pattern.test(name));
  return known ? known[1] : 'other-pictures';
}

function sizeOf(properties: readonly Box[]): Dimensions {
  const size = properties.find(({ type }) => type === 'ispe')?.content;
  const [width, height] = size ? [uint32(size, 4), uint32(size, 8)] : [];
  if (!width || !height) throw new Error('The image has no size.');
  return { width, height };
}

function layout(file: AvifItems): AvifLayout {
  const properties = file.properties(file.primary);
  const find = (name: string) => properties.find(({ type }) => type === name)?.content;
  const [turns, mirror, clap] = [find('irot')?.[0] ?? 0, find('imir')?.[0], find('clap')];
  const orientation = ORIENTATIONS[turns & 3][mirror === undefined ? 0 : (mirror & 1) + 1];
  const [{ bitDepth, isMonochrome, isLimited }] = sequenceReader(file)(file.primary);
  const codes = colourBox(properties, 'nclx');
  const transforms = (id: number) =>
    file.properties(id).flatMap(({ type, raw }) => (TRANSFORMS.includes(type) ? [raw] : []));
  const own = Buffer.concat(transforms(file.primary));
  const isPremultiplied = file.references.some(({ type, from }) => type === 'prem' && from === file.primary);
  return {
    orientation,
    bitDepth,
    isPremultiplied,
    isMonochrome,
    isLimited: codes ? codes[10] === 0 : isLimited,
    isAlphaApart: alphaOf(file).some((id) => Buffer.compare(Buffer.concat(transforms(id)), own) !== 0),
    ...(clap && { clip: cleanAperture(clap, sizeOf(properties)) }),
  };
}

/**
 * The clean aperture (ISO/IEC 14496-12, 12.1.4): its size, and how far its centre is from the image's, as fractions. One that does not
 * lie inside the image counts for nothing, as in browsers.
 */
function cleanAperture(clap: Buffer, size: Dimensions): Position & Dimensions {
  const [width, height, right, down] = [0, 8, 16, 24].map(
    (at) => clap.readInt32BE(at) / clap.readInt32BE(at + 4),
  );
  const left = right + (size.width - width) / 2;
  const top = down + (size.height - height) / 2;
  const isInside = left >= 0 && top >= 0 && width >= 1 && height >= 1;
  const fits = left + width <= size.width && top + height <= size.height;
  if (!isInside || !fits) return { left: 0, top: 0, ...size };
  const [x, y] = [Math.round(left), Math.round(top)];
  return {
    left: x,
    top: y,
    width: Math.min(Math.round(width), size.width - x),
    height: Math.min(Math.round(height), size.height - y),
  };
}

function colourBox(properties: readonly Box[], ...kinds: readonly string[]) {
  const colours = properties.filter(({ type }) => type === 'colr').map(({ content }) => content);
  return colours.find((content) => kinds.includes(text(content, 0, 4)));
}

/** Without codes in a box, those in the AV1 data count. */
function readColours(file: AvifItems): Pick<UploadBlocks, 'icc' | 'cicp'> {
  const properties = file.properties(file.primary);
  const icc = colourBox(properties, 'prof', 'rICC')?.subarray(4);
  if (icc) return { icc };
  const codes = colourBox(properties, 'nclx');
  const [sequence] = sequenceReader(file)(file.primary);
  const { primaries = UNSPECIFIED, transfer = UNSPECIFIED } = codes
    ? { primaries: uint16(codes, 4), transfer: uint16(codes, 6) }
    : sequence;
  if (SRGB_PRIMARIES.includes(primaries) && SRGB_TRANSFERS.includes(transfer)) return {};
  const srgb = SRGB_TRANSFERS.includes(transfer) ? SRGB_TRANSFER : transfer;
  return { cicp: [primaries === UNSPECIFIED ? SRGB_PRIMARIES[0] : primaries, srgb] };
}
