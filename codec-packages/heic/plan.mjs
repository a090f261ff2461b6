/** What has to be decoded for the primary image, where its pixels are shown, and what goes with it: all of it without pixels. */
import { inflateSync } from 'node:zlib';
import { Reader } from './container.mjs';
import { isParameterSet, readConfiguration, readSps, SPS, unitsOf, unitType } from './hevc.mjs';
import { Place } from './place.mjs';

/** A crop may hide this many pixels, which are decoded all the same: `baseMegabytes` has room for them. */
const MAX_HIDDEN_PIXELS = 16_000_000;
/** Tiles may share their data, but a small file must not stand for hours of work. */
const MAX_SHARED_BYTES = 1_000_000;
const MAX_TEXT_BYTES = 10_000_000;

const ALPHA = /^urn:mpeg:(hevc:2015:auxid:1|mpegB:cicp:systems:auxiliary:alpha)$/;
const DEPTH = /^urn:mpeg:(hevc:2015:auxid:2|mpegB:cicp:systems:auxiliary:depth)$|:depth|disparity/;
const GAIN_MAP = /gainmap/i;

const CODED = ['hvc1', 'hev1'];
/** Other essential properties change how an image is shown. */
const KNOWN_PROPERTIES = 'ispe hvcC colr pixi pasp auxC clap irot imir clli mdcv amve cclv rloc'.split(' ');

const C2PA = 'uuid d8fec3d61b0e483c92975828877ec481';

/** @returns the track of an image sequence, undefined for a still image */
export function sequenceOf({ tracks }) {
  return tracks.find(({ handler, samples }) => handler === 'pict' && samples > 1);
}

/** The primary image of a file. */
export class Plan {
  #readers = new Map();
  #bytesLeft;

  constructor(container) {
    this.container = container;
    this.#bytesLeft = container.file.length + MAX_SHARED_BYTES;
    const primary = container.items.get(container.primaryId);
    if (!primary) throw new Error('the file has no primary image');
    this.primary = primary;
    this.image = this.#look(primary);
    const alpha = this.#auxiliaries().find(({ kind }) => ALPHA.test(kind));
    this.alpha = alpha && this.#placeAlpha(this.#look(alpha.item));
    this.isPremultiplied = alpha !== undefined && container.referred(primary, 'prem').includes(alpha.item.id);
  }

  get size() {
    const { width, height } = this.image.place;
    return { width, height };
  }

  /** @returns `tiles`, each with its place and `read` for its units; `place`, where they are shown; and their colours */
  #look(item, around = []) {
    const { container } = this;
    if (around.length > 8 || around.includes(item.id))
      throw new Error('an image of the file is derived from itself');
    const unknown = item.properties.find(
      ({ box, isEssential }) => isEssential && !KNOWN_PROPERTIES.includes(box.type),
    );
    if (unknown) throw new Error(`the image needs "${unknown.box.type}", which is unknown here`);
    const image = this.#lookInside(item, [...around, item.id]);
    const { icc, nclx } = this.#colourOf(item);
    image.icc = icc ?? image.icc;
    image.nclx = nclx ?? image.nclx;
    for (const { box } of item.properties)
      image.place.apply(box.type, new Reader(box.reader.bytes, box.reader.at, box.reader.end));
    const largest = Math.max(
      image.width * image.height,
      ...image.tiles.map(({ codedPixels }) => codedPixels),
    );
    const { width, height } = image.place;
    if (largest > width * height + MAX_HIDDEN_PIXELS)
      throw new Error(
        `the image hides ${Math.round(largest / 1e6)} megapixels and shows ${width} x ${height} px`,
      );
    return image;
  }

  #lookInside(item, around) {
    const { container } = this;
    if (CODED.includes(item.type)) return this.#lookCoded(item);
    const inputs = container.referred(item, 'dimg').map((id) => container.items.get(id));
    if (inputs.length > 0 && inputs.every((input) => input !== undefined)) {
      if (item.type === 'iden' && inputs.length === 1) return this.#look(inputs[0], around);
      if (item.type === 'grid') return this.#lookGrid(item, inputs, around);
    }
    if (item.type === 'grid' || item.type === 'iden') throw new Error('an image of the file lacks its parts');
    throw new Error(`the image is of the type "${item.type}", not HEVC`);
  }

  #lookCoded(item) {
    const { width, height } = this.#statedSize(item);
    const { units, lengthBytes, sets } = this.#configurationOf(item);
    // The first set may not be the one that is used, so all have to fit.
    for (const set of sets) refuseOtherSize(set, { width, height });
    this.#bytesLeft -= this.container.lengthOf(item);
    if (this.#bytesLeft < 0) throw new Error('the parts of the image have more data than the file');
    const [{ depth, chroma }] = sets;
    if (sets.some((set) => set.depth !== depth || set.chroma !== chroma))
      throw new Error('an image is coded in several ways');
    const read = () => [...units, ...this.#unitsIn(item, lengthBytes, { width, height })];
    const tile = {
      left: 0,
      top: 0,
      width,
      height,
      depth,
      chroma,
      codedPixels: Math.max(...sets.map(({ codedPixels }) => codedPixels)),
      read,
    };
    return { width, height, depth, chroma, tiles: [tile], place: new Place(width, height) };
  }

  #unitsIn(item, lengthBytes, size) {
    const units = [...unitsOf(new Reader(this.container.dataOf(item)), lengthBytes)];
    for (const unit of units) if (unitType(unit) === SPS) refuseOtherSize(readSps(unit), size);
    if (units.every(isParameterSet)) throw new Error('an image of the file has no data');
    return units;
  }

  #lookGrid(item, inputs, around) {
    const { container } = this;
    const reader = new Reader(container.dataOf(item));
    const { version, flags } = { version: reader.uint(1), flags: reader.uint(1) };
    const [rows, columns] = [reader.uint(1) + 1, reader.uint(1) + 1];
    const sideBytes = flags & 1 ? 4 : 2;
    const [width, height] = [reader.uint(sideBytes), reader.uint(sideBytes)];
    const stated = this.#statedSize(item);
    if (version !== 0 || stated.width !== width || stated.height !== height)
      throw new Error('the grid of tiles has another size than the image');
    if (inputs.length !== rows * columns)
      throw new Error(`the image lacks ${rows * columns - inputs.length} of ${rows * columns} tiles`);
    // Grids of grids would stand for endless work.
    if (!inputs.every(({ type }) => CODED.includes(type)))
      throw new Error('a tile of the image is no coded image');
    const parts = inputs.map((input) => this.#look(input, around));
    const [first] = parts;
    const tiles = parts.map((part, i) => {
      if (!part.place.isPlain) throw new Error('a tile of the image is turned or cropped');
      const isAlike = ['width', 'height', 'depth', 'chroma'].every((name) => part[name] === first[name]);
      if (!isAlike) throw new Error('the tiles of the image are not alike');
      return {
        ...part.tiles[0],
        left: (i % columns) * first.width,
        top: Math.floor(i / columns) * first.height,
      };
    });
    const covers = (side, count, whole) => side * count >= whole && side * (count - 1) < whole;
    if (!covers(first.width, columns, width) || !covers(first.height, rows, height))
      throw new Error('the tiles do not fit the image');
    const { depth, chroma, icc, nclx } = first;
    return { width, height, depth, chroma, tiles, isGrid: true, place: new Place(width, height), icc, nclx };
  }

  #statedSize(item) {
    const reader = this.container.property(item, 'ispe');
    if (!reader) throw new Error('the file does not state the size of an image');
    reader.version();
    return { width: reader.uint(4), height: reader.uint(4) };
  }

  /** Tiles share theirs. */
  #configurationOf(item) {
    const reader = this.container.property(item, 'hvcC');
    if (!reader) throw new Error('an image of the file lacks the parameters of its coding');
    if (!this.#readers.has(reader.at))
      this.#readers.set(reader.at, readConfiguration(new Reader(reader.bytes, reader.at, reader.end)));
    return this.#readers.get(reader.at);
  }

  /** A profile, and the codes of ITU-T H.273. */
  #colourOf({ properties }) {
    const colour = {};
    for (const { box } of properties) {
      if (box.type !== 'colr') continue;
      const reader = new Reader(box.reader.bytes, box.reader.at, box.reader.end);
      const kind = reader.type();
      if (kind === 'prof' || kind === 'rICC') colour.icc ??= reader.take(reader.left);
      if (kind === 'nclx') {
        const [primaries, transfer, matrix] = [reader.uint(2), reader.uint(2), reader.uint(2)];
        colour.nclx ??= { primaries, transfer, matrix, isFull: reader.uint(1) >= 128 };
      }
    }
    return colour;
  }

  /** Those of the primary image, with what they show. */
  #auxiliaries() {
    const { container, primary } = this;
    return [...container.items.values()].flatMap((item) => {
      if (!container.referred(item, 'auxl').includes(primary.id)) return [];
      const reader = container.property(item, 'auxC');
      reader?.version();
      return [{ item, kind: reader?.string() ?? '' }];
    });
  }

  /** An alpha image without transformations of its own has those of the image. */
  #placeAlpha(alpha) {
    const { image, primary } = this;
    if (!alpha.place.isPlain) return alpha;
    if (alpha.width === image.width && alpha.height === image.height) alpha.place = image.place;
    else
      for (const { box } of primary.properties)
        if (['irot', 'imir'].includes(box.type))
          alpha.place.apply(box.type, new Reader(box.reader.bytes, box.reader.at, box.reader.end));
    return alpha;
  }

  /** Kinds of data that a result does not have; the words of `X-Removed`. */
  get removed() {
    const { container, primary } = this;
    const kinds = new Set();
    for (const { kind } of this.#auxiliaries()) {
      if (ALPHA.test(kind)) continue;
      kinds.add(GAIN_MAP.test(kind) ? 'gain-map' : DEPTH.test(kind) ? 'depth' : 'other-pictures');
    }
    const parts = new Set([...container.items.values()].flatMap((item) => container.referred(item, 'dimg')));
    const isDependent = (item) => ['auxl', 'thmb'].some((type) => container.referred(item, type).length > 0);
    for (const item of container.items.values()) {
      if (item.type === 'tmap') kinds.add('gain-map');
      const isPicture = [...CODED, 'grid', 'iden', 'iovl', 'av01', 'jpeg'].includes(item.type);
      if (isPicture && item !== primary && !item.isHidden && !parts.has(item.id) && !isDependent(item))
        kinds.add('other-pictures');
    }
    if (container.outer.has('mpvd') || container.tracks.some(({ handler }) => handler === 'vide'))
      kinds.add('motion-video');
    if (container.outer.has(C2PA)) kinds.add('content-credentials');
    return [...kinds];
  }

  /** EXIF from its TIFF header on, upright; undefined if there is none. */
  get exif() {
    const data = this.#described((item) => item.type === 'Exif');
    if (!data || data.length < 4) return undefined;
    const reader = new Reader(data);
    const offset = reader.uint(4);
    const exif = new Uint8Array(data.subarray(4 + offset));
    return upright(exif) ? exif : undefined;
  }

  get xmp() {
    return this.#described(
      ({ contentType, encoding }) =>
        contentType === 'application/rdf+xml' && ['', 'deflate'].includes(encoding),
    );
  }

  get credentials() {
    const reader = this.container.outer.get(C2PA);
    return reader && new Uint8Array(reader.bytes.subarray(reader.at, reader.end));
  }

  #described(isMeant) {
    const { container, primary } = this;
    const item = [...container.items.values()].find((each) => {
      const described = container.referred(each, 'cdsc');
      return isMeant(each) && (described.length === 0 || described.includes(primary.id));
    });
    if (!item) return undefined;
    const data = container.dataOf(item);
    return item.encoding === 'deflate' ? inflated(data) : new Uint8Array(data);
  }
}

/** Undefined for damaged data: they are not the image. */
function inflated(data) {
  try {
    return new Uint8Array(inflateSync(data, { maxOutputLength: MAX_TEXT_BYTES }));
  } catch {
    return undefined;
  }
}

/** Some encoders leave out the crop of padding, at most one block of 64 px. */
function refuseOtherSize(set, { width, height }) {
  const [wider, higher] = [set.width - width, set.height - height];
  if (wider < 0 || higher < 0 || wider >= 64 || higher >= 64)
    throw new Error(
      `an image is coded with ${set.width} x ${set.height} px and stated with ${width} x ${height} px`,
    );
}

const [ORIENTATION, LONG] = [0x0112, 4];

/** Sets the orientation to 1 in place. @returns false if it is no EXIF */
function upright(exif) {
  const view = new DataView(exif.buffer, exif.byteOffset, exif.length);
  const order = exif.length < 8 ? 0 : view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return false;
  const isLittle = order === 0x4949;
  const start = view.getUint32(4, isLittle);
  if (start + 2 > exif.length) return false;
  const end = Math.min(start + 2 + 12 * view.getUint16(start, isLittle), exif.length);
  for (let at = start + 2; at + 12 <= end; at += 12) {
    if (view.getUint16(at, isLittle) !== ORIENTATION) continue;
    if (view.getUint16(at + 2, isLittle) === LONG) view.setUint32(at + 8, 1, isLittle);
    else view.setUint16(at + 8, 1, isLittle);
  }
  return true;
}
