/**
 * The boxes of a HEIF file (ISO/IEC 14496-12, 23008-12): its items with their properties, references and places. Reads no pixels, and
 * refuses what is cut off.
 */

/** Photos of phones have some 200: each tile is an item. */
const MAX_BOXES = 10_000;
const MAX_ITEMS = 10_000;
/** Of a box. */
const TYPE = /^[\w ]{4}$/;

/** Numbers and texts of one box, one after the other. */
export class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { bytes, at, end });
  }

  get left() {
    return this.end - this.at;
  }

  /** Big endian; exact up to 53 bits. */
  uint(length) {
    this.need(length);
    let value = 0;
    for (let i = 0; i < length; i++) value = value * 256 + this.bytes[this.at++];
    return value;
  }

  int32() {
    return this.uint(4) | 0;
  }

  /** Four characters; `?` for those that no type has. */
  type() {
    return String.fromCharCode(...this.take(4)).replace(/[^ -~]/g, '?');
  }

  /** Up to the next zero. */
  string() {
    const zero = this.bytes.subarray(this.at, this.end).indexOf(0);
    const text = Buffer.from(this.bytes.subarray(this.at, zero < 0 ? this.end : this.at + zero)).toString();
    this.at = zero < 0 ? this.end : this.at + zero + 1;
    return text;
  }

  take(length) {
    this.need(length);
    return this.bytes.subarray(this.at, (this.at += length));
  }

  /** Version and flags of a full box. */
  version() {
    return { version: this.uint(1), flags: this.uint(3) };
  }

  need(length) {
    if (length > this.left) throw new Error('a box of the file ends too early');
  }
}

/** @returns everything that an image and its metadata may need */
export function readContainer(file) {
  return new Container(file);
}

class Container {
  /** By id: `type`, `contentType`, `extents`, `properties`. */
  items = new Map();
  /** By the id that they come from: `type`, and `to`, which are ids. */
  references = new Map();
  primaryId;
  /** Tracks of a movie: `handler`, `samples`, `width` and `height`. */
  tracks = [];
  /** The first of the boxes around all others by type, of a `uuid` with its hexadecimal digits. */
  outer = new Map();
  #boxes = 0;
  #embedded = new Uint8Array();

  constructor(file) {
    this.file = file;
    for (const { type, reader } of this.#boxesIn(new Reader(file), true)) {
      if (this.outer.size === 0) this.#readBrand(type, reader);
      const name = type === 'uuid' ? `uuid ${Buffer.from(reader.take(16)).toString('hex')}` : type;
      if (!this.outer.has(name)) this.outer.set(name, reader);
      // A second one belongs to a video behind the image.
      if (type === 'meta' && this.primaryId === undefined) this.#readMeta(reader);
      if (type === 'moov')
        for (const box of this.#boxesIn(reader)) if (box.type === 'trak') this.#readTrack(box);
    }
  }

  #readBrand(type, reader) {
    if (type !== 'ftyp') throw new Error('no HEIC file');
    this.brand = reader.type();
  }

  *#boxesIn(reader, isOuter = false) {
    while (reader.left > 0) {
      if (++this.#boxes > MAX_BOXES) throw new Error('the file has too many boxes');
      const start = reader.at;
      // Cameras append data of their own; if something of the image is missing, its data are beyond the end.
      const mayEnd = isOuter && this.primaryId !== undefined;
      if (mayEnd && (reader.left < 8 || !TYPE.test(new Reader(reader.bytes, start + 4).type()))) return;
      let length = reader.uint(4);
      const type = reader.type();
      if (length === 1) length = reader.uint(8);
      if (length === 0) length = reader.end - start;
      const end = start + length;
      if (end > reader.end && isOuter)
        throw new Error(`the file is cut off: its box "${type}" ends ${end - reader.end} bytes later`);
      if (end < reader.at || end > reader.end) throw new Error(`the box "${type}" has a wrong length`);
      yield { type, reader: new Reader(reader.bytes, reader.at, end) };
      reader.at = end;
    }
  }

  #readMeta(meta) {
    meta.version();
    for (const { type, reader } of this.#boxesIn(meta)) {
      if (type === 'pitm') this.primaryId = reader.uint(reader.version().version === 0 ? 2 : 4);
      else if (type === 'iinf') this.#readItems(reader);
      else if (type === 'iref') this.#readReferences(reader);
      else if (type === 'iloc') this.#readPlaces(reader);
      else if (type === 'iprp') this.#readProperties(reader);
      else if (type === 'idat') this.#embedded = reader.take(reader.left);
    }
  }

  /** @returns the item, new if a box names it first */
  #item(id) {
    if (this.items.size > MAX_ITEMS) throw new Error('the file has too many items');
    if (!this.items.has(id)) this.items.set(id, { id, type: '', extents: [], properties: [] });
    return this.items.get(id);
  }

  #readItems(reader) {
    reader.uint(reader.version().version === 0 ? 2 : 4);
    for (const { type, reader: entry } of this.#boxesIn(reader)) {
      const { version, flags } = type === 'infe' ? entry.version() : {};
      if (!(version >= 2)) continue;
      const item = this.#item(entry.uint(version === 2 ? 2 : 4));
      if (entry.uint(2) !== 0) throw new Error('the file is encrypted');
      Object.assign(item, { type: entry.type(), isHidden: (flags & 1) === 1 });
      entry.string();
      if (item.type === 'mime')
        Object.assign(item, { contentType: entry.string(), encoding: entry.string() });
    }
  }

  #readReferences(reader) {
    const idBytes = reader.version().version === 0 ? 2 : 4;
    for (const { type, reader: entry } of this.#boxesIn(reader)) {
      const from = entry.uint(idBytes);
      const count = entry.uint(2);
      const to = Array.from({ length: count }, () => entry.uint(idBytes));
      if (!this.references.has(from)) this.references.set(from, []);
      this.references.get(from).push({ type, to });
    }
  }

  #readPlaces(reader) {
    const { version } = reader.version();
    const [offsets, bases] = [reader.uint(1), reader.uint(1)];
    const [offsetBytes, lengthBytes, baseBytes] = [offsets >> 4, offsets & 15, bases >> 4];
    const indexBytes = version === 0 ? 0 : bases & 15;
    // Without bytes for places, a few bytes would stand for millions of extents.
    if (
      version > 2 ||
      lengthBytes === 0 ||
      [offsetBytes, lengthBytes, baseBytes, indexBytes].some((bytes) => bytes > 8)
    )
      throw new Error('the places of its items are written in an unknown way');
    const idBytes = version < 2 ? 2 : 4;
    for (let left = reader.uint(idBytes); left > 0; left--) {
      const item = this.#item(reader.uint(idBytes));
      item.method = version === 0 ? 0 : reader.uint(2) & 15;
      reader.uint(2);
      const base = reader.uint(baseBytes);
      for (let extents = reader.uint(2); extents > 0; extents--) {
        reader.uint(indexBytes);
        const start = base + reader.uint(offsetBytes);
        item.extents.push({ start, length: reader.uint(lengthBytes) });
      }
    }
  }

  #readProperties(iprp) {
    let all = [];
    const lists = [];
    for (const { type, reader } of this.#boxesIn(iprp)) {
      if (type === 'ipco') all = [...this.#boxesIn(reader)];
      if (type === 'ipma') lists.push(reader);
    }
    for (const reader of lists) {
      const { version, flags } = reader.version();
      for (let left = reader.uint(4); left > 0; left--) {
        const item = this.#item(reader.uint(version === 0 ? 2 : 4));
        for (let count = reader.uint(1); count > 0; count--) {
          const bytes = flags & 1 ? 2 : 1;
          const value = reader.uint(bytes);
          const essential = 2 ** (bytes * 8 - 1);
          const property = all[(value % essential) - 1];
          if (property) item.properties.push({ box: property, isEssential: value >= essential });
        }
      }
    }
  }

  #readTrack({ reader }) {
    const track = { handler: '', samples: 0 };
    const visit = (around) => {
      for (const { type, reader: box } of this.#boxesIn(around)) {
        if (['mdia', 'minf', 'stbl'].includes(type)) visit(box);
        else if (type === 'hdlr') {
          box.uint(8);
          track.handler = box.type();
        } else if (type === 'tkhd') {
          box.at = box.end - 8;
          Object.assign(track, { width: box.uint(4) >>> 16, height: box.uint(4) >>> 16 });
        } else if (type === 'stsz') {
          box.uint(8);
          track.samples = box.uint(4);
        }
      }
    };
    visit(reader);
    this.tracks.push(track);
  }

  /** The first property of a type of an item, as a new reader. */
  property({ properties }, type) {
    const { box } = properties.find((each) => each.box.type === type) ?? {};
    return box && new Reader(box.reader.bytes, box.reader.at, box.reader.end);
  }

  /** Ids that the item refers to. */
  referred({ id }, type) {
    return (this.references.get(id) ?? []).filter((each) => each.type === type).flatMap(({ to }) => to);
  }

  /** Checks the places of the data of an item, and returns how many bytes it has. */
  lengthOf({ extents, method }) {
    const within = this.#withinOf(method);
    let sum = 0;
    for (const { start, length } of extents) {
      if (start + length > within.length)
        throw new Error(
          `the file is cut off: the data of an item end ${start + length - within.length} bytes later`,
        );
      sum += length;
    }
    if (extents.length === 0) throw new Error('an item of the file has no data');
    if (sum > within.length) throw new Error('an item of the file has more data than the file');
    return sum;
  }

  dataOf(item) {
    this.lengthOf(item);
    const parts = item.extents.map(({ start, length }) =>
      this.#withinOf(item.method).subarray(start, start + length),
    );
    return parts.length === 1 ? parts[0] : Buffer.concat(parts);
  }

  #withinOf(method) {
    if (method === 0) return this.file;
    if (method === 1) return this.#embedded;
    throw new Error('the data of an item are in another item');
  }
}
