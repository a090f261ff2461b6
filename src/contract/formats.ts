/**
 * The facts of all formats, a row a format: what the service process, the page, the command line and the library may know of one. Its code
 * is a row of `compression/application/formats.ts`, joined by the name. Packages of the operator add rows: see Formats.
 */

/** Bytes in lower-case hexadecimal digits, after `offset` others. */
export interface Signature {
  readonly offset: number;
  readonly hex: string;
}

export interface FormatFacts {
  /** For sentences, such as `JPG`. */
  readonly label: string;
  readonly mediaType: string;
  /** File name extensions without a dot; new files get the first one. */
  readonly extensions: readonly [string, ...string[]];
  /** A file begins with one of these. Without any, its files are not recognised. */
  readonly signatures: readonly Signature[];
  /** Whether its files are accepted as uploads. */
  readonly isUpload: boolean;
}

/** The formats of a service, by name. */
export type FormatTable = Readonly<Record<string, FormatFacts>>;

/** Memory of a worker in bytes per pixel of the result, for an image without and with transparency: see memory-demand.ts. */
export interface PixelMemory {
  readonly opaque: number;
  readonly transparent: number;
}

/** Memory of a worker for a result in this format. */
export interface ConversionMemory {
  readonly bytesPerPixel: PixelMemory;
  readonly baseBytes: number;
}

/** Memory of a worker for an upload in this format that has codings of its own. */
interface UploadMemory {
  readonly bytesPerPixel: PixelMemory;
  /** Bytes of its output that the encoder holds, as a multiple of the upload. */
  readonly codedBytesPerUploadByte: number;
  /** Whether the encoder takes its memory only when the decoder has released its own. */
  readonly encodesAfterDecoding: boolean;
}

export interface FormatRow extends FormatFacts {
  readonly memory: ConversionMemory;
  /** Present if uploads have codings of their own, besides those of results. */
  readonly upload?: UploadMemory;
  /** Memory of the decoder; present if uploads become pixels before anything else. */
  readonly decoding?: ConversionMemory;
  /** Whether current browsers show it: besides the format of the upload, `auto` chooses from these where no header names others. */
  readonly isShownByBrowsers?: boolean;
  /** The path of the package that adds it; absent for a format of this repository. */
  readonly owner?: string;
}

function perPixel(opaque: number, transparent: number): ConversionMemory {
  return { bytesPerPixel: { opaque, transparent }, baseBytes: 0 };
}

/** The formats of this repository, those that most browsers show first. */
export const FORMATS = {
  jpeg: {
    label: 'JPG',
    mediaType: 'image/jpeg',
    extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
    signatures: [{ offset: 0, hex: 'ffd8ff' }],
    isUpload: true,
    // 28.8 at 14.7 megapixels. It has no transparency.
    memory: perPixel(36, 36),
    upload: {
      // 25.8 with the fixed amount, at 14.7 megapixels.
      bytesPerPixel: { opaque: 26, transparent: 26 },
      codedBytesPerUploadByte: 18,
      encodesAfterDecoding: true,
    },
  },
  png: {
    label: 'PNG',
    mediaType: 'image/png',
    extensions: ['png'],
    signatures: [{ offset: 0, hex: '89504e470d0a1a0a' }],
    isUpload: true,
    // 27.8 at 14.7 megapixels; with transparency an upload is a PNG already.
    memory: perPixel(36, 78),
    upload: {
      // 37.4 and 55.4 at 14.7 megapixels, 41.3 and 65.4 at 4; for the third image of a worker 49.2 and 75.2.
      bytesPerPixel: { opaque: 52, transparent: 78 },
      codedBytesPerUploadByte: 0,
      encodesAfterDecoding: false,
    },
  },
  webp: {
    label: 'WebP',
    mediaType: 'image/webp',
    extensions: ['webp'],
    signatures: [{ offset: 8, hex: '57454250' }],
    isUpload: true,
    // 45.4 and 95.2 at 4 megapixels, without loss.
    memory: perPixel(52, 100),
    decoding: perPixel(12, 12),
    isShownByBrowsers: true,
  },
  avif: {
    label: 'AVIF',
    mediaType: 'image/avif',
    extensions: ['avif'],
    signatures: [{ offset: 4, hex: '66747970617669' }],
    isUpload: true,
    // 65.6 at 14.7 megapixels and 68.4 at 9.8, in 10 bits; with transparency, in 8 bits, 83.2, and 86.9 at 8 megapixels.
    memory: perPixel(74, 90),
    decoding: perPixel(24, 24),
    isShownByBrowsers: true,
  },
} as const satisfies Record<string, FormatRow>;

export type BuiltInFormat = keyof typeof FORMATS;
/** The smallest first. */
export const SHOWN_BY_BROWSERS: readonly ResultFormatName[] = Object.entries<FormatRow>(FORMATS)
  .flatMap(([name, { isShownByBrowsers }]) => (isShownByBrowsers ? [name] : []))
  .reverse();
/** The formats whose uploads have codings of their own. */
export type SourceFormat = {
  [F in BuiltInFormat]: (typeof FORMATS)[F] extends { readonly upload: unknown } ? F : never;
}[BuiltInFormat];
/** The name of a format that results may have; one that was added is any other string. */
export type ResultFormatName = BuiltInFormat | (string & {});

/** The value of the option `format`: accepted formats, or `auto` for those that the client names elsewhere. */
export type AskedFormats = readonly (ResultFormatName | 'same')[] | 'auto';

export const FORMATS_PATTERN = /^[a-z0-9]{1,16}(,[a-z0-9]{1,16})*$/;

const RESERVED: readonly string[] = ['same', 'auto'];

export const MAX_SIGNATURE_OFFSET = 64;
export const MAX_SIGNATURE_LENGTH = 16;

/** Memory of an upload of this format. */
export function uploadMemory(format: SourceFormat): UploadMemory {
  return FORMATS[format].upload;
}

/** By the first bytes of the file, regardless of its name and declared type; undefined for others. */
export function sourceFormat(bytes: Uint8Array): SourceFormat | undefined {
  return sourceFormats.find((name) => FORMATS[name].signatures.some(begins(bytes)));
}

/** Ignores parameters, as in `image/png; q=0.5`. */
export function hasMediaType(mediaType: string): (facts: FormatFacts) => boolean {
  const [type] = mediaType.split(';');
  const wanted = type.trim().toLowerCase();
  return (facts) => facts.mediaType === wanted;
}

/** The rows of the table and those of packages. Never changes: two compressors of one process may have different formats. */
export class Formats {
  /** All that is read and written here is accepted. */
  static readonly builtIn = new Formats(new Map(Object.entries(FORMATS)));

  private constructor(private readonly rows: ReadonlyMap<string, FormatRow>) {}

  /** For the page, which knows only these facts. */
  static known(facts: FormatTable): Formats {
    return new Formats(new Map(Object.entries(facts as Record<string, FormatRow>)));
  }

  /** Adds the row of a package. Returns the name or fact that is taken, and by whom, as a clause, if one is. */
  with(name: string, row: FormatRow & { readonly owner: string }): Formats | string {
    const taken = this.takenFact(name, row) ?? this.takenSignature(row.signatures, row.owner);
    return taken ?? new Formats(new Map([...this.rows, [name, row]]));
  }

  /** Accepts only some uploads. @param names JPG, PNG and what packages read if absent */
  accepting(names?: readonly ResultFormatName[]): Formats {
    const rows = [...this.rows].map(([name, row]) => {
      const isAccepted = names?.includes(name) ?? (row.upload !== undefined || row.owner !== undefined);
      return [name, { ...row, isUpload: row.isUpload && isAccepted }] as const;
    });
    return new Formats(new Map(rows));
  }

  get names(): readonly ResultFormatName[] {
    return [...this.rows.keys()];
  }

  get facts(): readonly FormatRow[] {
    return [...this.rows.values()];
  }

  /** What the page may know of the rows, by name. */
  get publicFacts(): FormatTable {
    return Object.fromEntries(
      [...this.rows].map(([name, { label, mediaType, extensions, signatures, isUpload }]) => [
        name,
        { label, mediaType, extensions, signatures, isUpload },
      ]),
    );
  }

  /** @throws RangeError when there is no such format */
  of(format: ResultFormatName): FormatRow {
    const row = this.rows.get(format);
    if (!row) throw new RangeError(`There is no format ${JSON.stringify(format)}`);
    return row;
  }

  get choices(): string {
    return `same, auto, or one or more of ${this.names.join(', ')}, separated by commas`;
  }

  /** Reads the option `format`: names separated by commas; undefined if it names an unknown format. */
  from(text: string): AskedFormats | undefined {
    return text === 'auto' ? text : this.named(text, ['same']);
  }

  /** Reads names of uploads, separated by commas; undefined if nothing reads one of them. */
  uploadsFrom(text: string): readonly ResultFormatName[] | undefined {
    const named = this.named(text);
    return named?.every((name) => this.of(name).isUpload) ? named : undefined;
  }

  /** People write `jpg`, so every file name extension is a name too. */
  private named(text: string, others: readonly string[] = []): ResultFormatName[] | undefined {
    const isKnown = (name: string) => others.includes(name) || this.rows.has(name);
    const formats = text.split(',').map((name) => (isKnown(name) ? name : this.byExtension(name)));
    return formats.every((format) => format !== undefined) ? [...new Set(formats)] : undefined;
  }

  byExtension(extension: string): ResultFormatName | undefined {
    return this.find(({ extensions }) => extensions.includes(extension));
  }

  /** Returns the formats of media types, each once. Types that no result has are left out. */
  ofMediaTypes(types: readonly string[]): ResultFormatName[] {
    const formats = types.map((type) => this.find(hasMediaType(type)));
    return [...new Set(formats.filter((format) => format !== undefined))];
  }

  /** By the first bytes; undefined for others, and for formats without a signature. */
  bySignature(bytes: Uint8Array): ResultFormatName | undefined {
    return this.find(({ signatures }) => signatures.some(begins(bytes)));
  }

  /** The format of an upload by the first bytes of the file; undefined for others. */
  ofUpload(bytes: Uint8Array): ResultFormatName | undefined {
    return this.find(({ isUpload, signatures }) => isUpload && signatures.some(begins(bytes)));
  }

  isUpload(bytes: Uint8Array): boolean {
    return this.ofUpload(bytes) !== undefined;
  }

  /** The format of an upload that becomes pixels before anything else; undefined for others. */
  decodedUpload(bytes: Uint8Array) {
    const name = this.ofUpload(bytes);
    if (name === undefined) return undefined;
    const { decoding } = this.of(name);
    return decoding && { name, decoding };
  }

  /** The upload format that a file is named like; undefined for other names. */
  namedUpload(name: string): ResultFormatName | undefined {
    const format = this.byExtension(extensionOf(name));
    return format !== undefined && this.of(format).isUpload ? format : undefined;
  }

  /** The upload formats in words and by names. */
  get uploads() {
    const names = this.names.filter((name) => this.of(name).isUpload);
    const rows = names.map((name) => this.of(name));
    const labels = rows.map(({ label }) => label);
    return {
      names,
      and: listed(labels, 'and'),
      or: listed(labels, 'or'),
      mediaTypes: rows.map(({ mediaType }) => mediaType),
      extensions: rows.flatMap(({ extensions }) => extensions),
    };
  }

  /** The first bytes of a file that show whether it is an upload. */
  get uploadSignatureBytes(): number {
    const all = this.facts.flatMap(({ isUpload, signatures }) => (isUpload ? signatures : []));
    return Math.max(...all.map(({ offset, hex }) => offset + hex.length / 2));
  }

  /** The labels of the formats that bySignature knows, as part of a sentence. */
  get recognisedOr(): string {
    return listed(
      this.facts.filter(isRecognised).map(({ label }) => label),
      'or',
    );
  }

  get unrecognised(): string[] {
    return this.facts.filter((row) => !isRecognised(row)).map(({ label }) => label);
  }

  private find(isMeant: (row: FormatRow) => boolean | undefined) {
    return this.names.find((name) => isMeant(this.of(name)));
  }

  private takenFact(name: string, row: FormatRow) {
    if (RESERVED.includes(name)) return `the format name "${name}" is taken by this service`;
    for (const [otherName, other] of this.rows) {
      if (other.owner === row.owner) continue;
      const by = `taken by ${other.owner ?? 'this service'}`;
      const extension = row.extensions.find((text) => other.extensions.includes(text));
      if (otherName === name) return `the format name "${name}" is ${by}`;
      if (extension !== undefined) return `the file name extension "${extension}" is ${by}`;
      if (other.mediaType === row.mediaType) return `the media type "${row.mediaType}" is ${by}`;
    }
    return undefined;
  }

  /** Returns which signature of a format shows another format already, as a clause; undefined if none does. */
  private takenSignature(signatures: readonly Signature[], owner: string) {
    const others = this.facts.filter((row) => row.owner !== owner);
    for (const { offset, hex } of signatures) {
      const start = new Uint8Array(offset + hex.length / 2);
      start.set(bytesOf(hex), offset);
      const isShorter = begins(start);
      const isLonger = (one: Signature) => one.offset === offset && one.hex.startsWith(hex);
      const taker = others.find((row) => row.signatures.some((one) => isShorter(one) || isLonger(one)));
      if (taker) return `the signature "${hex}" is taken by ${taker.owner ?? 'this service'}`;
    }
    return undefined;
  }
}

function bytesOf(hex: string) {
  return (hex.match(/../g) ?? []).map((digits) => Number.parseInt(digits, 16));
}

const begins =
  (bytes: Uint8Array) =>
  ({ offset, hex }: Signature) =>
    bytesOf(hex).every((byte, i) => bytes[offset + i] === byte);

function isRecognised({ owner, signatures }: FormatRow) {
  return owner === undefined || signatures.length > 0;
}

/** "JPG, PNG or WebP" */
function listed(labels: readonly string[], conjunction: 'and' | 'or') {
  const last = labels.at(-1) ?? '';
  return labels.length < 2 ? last : `${labels.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** "an AVIF", "a WebP", "an interlaced PNG" */
export function withArticle(label: string): string {
  return `${/^[aeio]/i.test(label) ? 'an' : 'a'} ${label}`;
}

const sourceFormats = Object.entries(FORMATS).flatMap(([name, row]) =>
  'upload' in row ? [name as SourceFormat] : [],
);

/** The uploads that the command line and the library read without a package. */
export const UPLOADS = Formats.builtIn.uploads;

/** Not in a folder's name, and not at the start: `.hidden` has none. */
const EXTENSION = /[^/\\](\.([^./\\]*))$/;

/** Returns what follows the last dot of a file name or path, in lower case; empty if there is nothing. */
export function extensionOf(name: string): string {
  return EXTENSION.exec(name)?.[2].toLowerCase() ?? '';
}

/** Returns the name with an extension of the format. One that it has stays, as in `photo.JPEG`. */
export function namedAs(name: string, { extensions }: FormatFacts): string {
  if (extensions.includes(extensionOf(name))) return name;
  const ending = EXTENSION.exec(name)?.[1] ?? '';
  return `${name.slice(0, name.length - ending.length)}.${extensions[0]}`;
}

/** Files that people often send, and that no row of the table describes: the kind with its article, and its first bytes. */
const OTHERS: readonly (readonly [kind: string, offset: number, start: string])[] = [
  ['a GIF', 0, 'GIF8'],
  ['a BMP', 0, 'BM'],
  ['a HEIC', 4, 'ftyphe'],
  ['a HEIC', 4, 'ftypmif1'],
  ['a JPEG XL', 4, 'JXL '],
  ['a TIFF', 0, 'II*\0'],
  ['a TIFF', 0, 'MM\0*'],
  ['an SVG', 0, '<svg'],
  ['a PDF', 0, '%PDF-'],
];

export const OTHER_SIGNATURE_BYTES = 16;

/** Returns the kind of a file that is no upload, with its article, such as "a PDF"; undefined if unknown. */
export function otherFormat(bytes: Uint8Array, formats = Formats.builtIn): string | undefined {
  const format = formats.isUpload(bytes) ? undefined : formats.bySignature(bytes);
  if (format !== undefined) return withArticle(formats.of(format).label);
  const text = String.fromCharCode(...bytes.subarray(0, OTHER_SIGNATURE_BYTES));
  return OTHERS.find(([, at, start]) => text.startsWith(start, at))?.[0];
}

/** Returns the start of a sentence about a file that is no upload. It names the kind of file if possible. */
export function notAnUpload(bytes: Uint8Array, formats = Formats.builtIn): string {
  const name = otherFormat(bytes, formats);
  const kind = name === undefined ? '' : `${name}, `;
  return `The file is ${kind}not ${withArticle(formats.uploads.or)}`;
}
