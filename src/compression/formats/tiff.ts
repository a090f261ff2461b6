/** TIFF 6.0 directories, the format of EXIF and of the Multi-Picture Format index. */
import { uint16s, uint32s } from './bytes';

/** Bytes per value by type, 1..12 (TIFF 6.0, section 2). */
const TYPE_BYTES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
/** Bytes of one number in values by type; 1 without a byte order. */
const NUMBER_BYTES: readonly number[] = [1, 1, 1, 2, 4, 4, 1, 1, 2, 4, 4, 4, 8];
const ENTRY_BYTES = 12;
/** Real directories have a few dozen entries. */
const MAX_ENTRIES = 1_000;
const LITTLE_ENDIAN = 0x4949;
const BIG_ENDIAN = 0x4d4d;

export const TYPE = {
  byte: 1,
  ascii: 2,
  short: 3,
  long: 4,
  rational: 5,
  undefined: 7,
  signedRational: 10,
} as const;

export interface TiffEntry {
  readonly type: number;
  readonly count: number;
  readonly at: number;
  readonly byteLength: number;
}

export interface TiffDirectory {
  readonly entries: ReadonlyMap<number, TiffEntry>;
  readonly nextAt?: number | undefined;
}

export class TiffReader {
  private constructor(
    readonly bytes: Uint8Array,
    readonly isLittleEndian: boolean,
    private readonly view: DataView,
    private readonly start: number,
  ) {}

  /** @param start position of the first directory, for maker notes, whose header omits it */
  static open(bytes: Uint8Array, headerAt = 0, start?: number): TiffReader | undefined {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (bytes.length < headerAt + 8) return undefined;
    const byteOrder = view.getUint16(headerAt);
    if (byteOrder !== LITTLE_ENDIAN && byteOrder !== BIG_ENDIAN) return undefined;
    const isLittleEndian = byteOrder === LITTLE_ENDIAN;
    return new TiffReader(bytes, isLittleEndian, view, start ?? view.getUint32(headerAt + 4, isLittleEndian));
  }

  directory(at: number = this.start): TiffDirectory {
    const entries = new Map<number, TiffEntry>();
    if (at + 2 > this.bytes.length) return { entries };
    const count = Math.min(this.uint16(at), MAX_ENTRIES);
    for (let i = 0; i < count; i++) {
      const entryAt = at + 2 + i * ENTRY_BYTES;
      if (entryAt + ENTRY_BYTES > this.bytes.length) return { entries };
      const type = this.uint16(entryAt + 2);
      const values = this.uint32(entryAt + 4);
      const byteLength = (TYPE_BYTES[type] ?? 0) * values;
      const valueAt = byteLength <= 4 ? entryAt + 8 : this.uint32(entryAt + 8);
      // Like most readers, use the first of repeated entries. Values outside the block are ignored.
      const tag = this.uint16(entryAt);
      if (valueAt + byteLength > this.bytes.length || entries.has(tag)) continue;
      entries.set(tag, { type, count: values, at: valueAt, byteLength });
    }
    const nextAt = at + 2 + count * ENTRY_BYTES;
    return { entries, nextAt: nextAt + 4 <= this.bytes.length ? nextAt : undefined };
  }

  subdirectory(entry: TiffEntry | undefined): TiffDirectory | undefined {
    return entry?.byteLength === 4 ? this.directory(this.uint32(entry.at)) : undefined;
  }

  uint16(at: number): number {
    return this.view.getUint16(at, this.isLittleEndian);
  }

  uint32(at: number): number {
    return this.view.getUint32(at, this.isLittleEndian);
  }

  value({ at, byteLength }: TiffEntry): Uint8Array {
    return this.bytes.subarray(at, at + byteLength);
  }
}

export type TiffField = { readonly tag: number } & (
  { readonly type: number; readonly value: Uint8Array } | { readonly directory: readonly TiffField[] }
);

export function writeTiff(fields: readonly TiffField[]): Uint8Array {
  return Buffer.concat([Buffer.from([0x4d, 0x4d, 0, 42, 0, 0, 0, 8]), writeDirectory(fields, 8)]);
}

export function writeDirectory(fields: readonly TiffField[], start: number): Uint8Array {
  const sorted = [...fields].sort((a, b) => a.tag - b.tag);
  const values: Uint8Array[] = [];
  let valueAt = start + 2 + sorted.length * ENTRY_BYTES + 4;
  const entries = sorted.flatMap((field) => {
    const isDirectory = 'directory' in field;
    const type = isDirectory ? TYPE.long : field.type;
    const value = isDirectory ? writeDirectory(field.directory, valueAt) : field.value;
    const head = [uint16s(field.tag, type), uint32s(isDirectory ? 1 : value.length / TYPE_BYTES[type])];
    if (!isDirectory && value.length <= 4) return [...head, value, Buffer.alloc(4 - value.length)];
    const place = uint32s(valueAt);
    values.push(value, Buffer.alloc(value.length % 2));
    valueAt += value.length + (value.length % 2);
    return [...head, place];
  });
  return Buffer.concat([uint16s(sorted.length), ...entries, uint32s(0), ...values]);
}

export function copiedField(reader: TiffReader, tag: number, entry: TiffEntry): TiffField {
  const value = Buffer.from(reader.value(entry));
  const bytes = NUMBER_BYTES[entry.type];
  if (reader.isLittleEndian) {
    if (bytes === 2) value.swap16();
    if (bytes === 4) value.swap32();
    if (bytes === 8) value.swap64();
  }
  return { tag, type: entry.type, value };
}

export function shortField(tag: number, value: number): TiffField {
  return { tag, type: TYPE.short, value: uint16s(value) };
}

/** Returns a text as UTF-8, which readers accept beside ASCII. */
export function asciiField(tag: number, text: string): TiffField {
  return { tag, type: TYPE.ascii, value: Buffer.from(`${text}\0`) };
}

export function fraction(value: number): readonly [numerator: number, denominator: number] {
  const denominator = Number.isInteger(value) ? 1 : 1000;
  return [Math.min(Math.max(1, Math.round(value * denominator)), 2 ** 32 - 1), denominator];
}

export function rationalField(tag: number, value: number): TiffField {
  return { tag, type: TYPE.rational, value: uint32s(...fraction(value)) };
}
