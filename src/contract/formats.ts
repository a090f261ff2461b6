/** Two tables: the upload formats and the result formats. All facts about a format outside of the recipes come from them. */

/** The names of a format. */
export interface FormatFacts {
  /** For sentences, such as `JPG`. */
  readonly label: string;
  readonly mediaType: string;
  /** File name extensions without a dot; new files get the first one. */
  readonly extensions: readonly [string, ...string[]];
}

/** The upload formats. */
interface UploadFacts {
  /** The first bytes that identify a file. */
  readonly signature: readonly number[];
  /** The memory that compressing one takes; see memory-demand.ts. */
  readonly memory: {
    readonly bytesPerPixel: number;
    /** Bytes of its output that the encoder holds, as a multiple of the upload. */
    readonly codedBytesPerUploadByte: number;
    /** Whether the encoder takes its memory only when the decoder has released its own. */
    readonly encodesAfterDecoding: boolean;
  };
}

const UPLOAD_FORMATS = {
  jpeg: {
    signature: [0xff, 0xd8, 0xff],
    memory: { bytesPerPixel: 26, codedBytesPerUploadByte: 18, encodesAfterDecoding: true },
  },
  png: {
    signature: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    memory: { bytesPerPixel: 70, codedBytesPerUploadByte: 0, encodesAfterDecoding: false },
  },
} as const satisfies Record<string, UploadFacts>;

export type UploadFormat = keyof typeof UPLOAD_FORMATS;

/** Memory of a conversion besides the pixels of the upload's recipe; see memory-demand.ts. */
export interface ConversionMemory {
  readonly bytesPerPixel: number;
  readonly baseBytes: number;
}

/** Bytes that identify a file, in lower-case hexadecimal digits, and the number of bytes before them. */
export interface Signature {
  readonly offset: number;
  readonly hex: string;
}

/** A format that results may have. */
export interface ResultFacts extends FormatFacts {
  /** As the built-in encoders take if absent. */
  readonly memory?: ConversionMemory;
  /** Of a format that was added: a file begins with one of these. Without any, its files are not recognised. */
  readonly signatures?: readonly Signature[];
  /** The package that writes it; this service if absent. */
  readonly owner?: string;
}

export type AddedFacts = ResultFacts & Required<Pick<ResultFacts, 'owner'>>;

/** The result formats. Packages of the operator may add more: see addResultFormat. */
export const RESULT_FORMATS = {
  jpeg: { label: 'JPG', mediaType: 'image/jpeg', extensions: ['jpg', 'jpeg', 'jpe', 'jfif'] },
  png: { label: 'PNG', mediaType: 'image/png', extensions: ['png'] },
  webp: { label: 'WebP', mediaType: 'image/webp', extensions: ['webp'] },
  avif: { label: 'AVIF', mediaType: 'image/avif', extensions: ['avif'] },
} as const satisfies Record<UploadFormat | 'webp' | 'avif', FormatFacts>;

/** The name of a format of this repository. */
export type BuiltInFormat = keyof typeof RESULT_FORMATS;
/** The name of a format that results may have; one that was added is any other string. */
export type ResultFormatName = BuiltInFormat | (string & {});

const uploadFormats = Object.keys(UPLOAD_FORMATS) as UploadFormat[];
const uploadLabels = uploadFormats.map((format) => RESULT_FORMATS[format].label);

/** The upload formats as parts of sentences. */
export const UPLOADS = {
  and: uploadLabels.join(' and '),
  or: uploadLabels.join(' or '),
  neitherNor: `neither ${uploadLabels.join(' nor ')}`,
  notA: `neither a ${uploadLabels.join(' nor a ')}`,
} as const;
export const UPLOAD_MEDIA_TYPES: readonly string[] = uploadFormats.map(
  (format) => RESULT_FORMATS[format].mediaType,
);
/** File name extensions of uploads, without a dot. */
export const UPLOAD_EXTENSIONS: readonly string[] = uploadFormats.flatMap(
  (format) => RESULT_FORMATS[format].extensions,
);

/** Returns the label of the upload format with a file name extension; undefined for others. */
export function uploadNamed(extension: string): string | undefined {
  const format = uploadFormats.find((name) =>
    (RESULT_FORMATS[name].extensions as readonly string[]).includes(extension),
  );
  return format && RESULT_FORMATS[format].label;
}

export function memoryOf(format: UploadFormat): UploadFacts['memory'] {
  return UPLOAD_FORMATS[format].memory;
}

/**
 * Global to the process, because every door names formats: response types, file extensions, messages, the OpenAPI document, and
 * the check of a worker's messages. It only grows, and a name never changes its meaning.
 */
const known = new Map<string, ResultFacts>(Object.entries(RESULT_FORMATS));

/** Returns the name or fact of a format that is taken, and by whom, as a clause; undefined if it can be added. */
export function takenFact(name: string, facts: AddedFacts): string | undefined {
  if (RESERVED.includes(name)) return `the format name "${name}" is taken by this service`;
  for (const [otherName, other] of known) {
    if (other.owner === facts.owner) continue;
    const by = `taken by ${other.owner ?? 'this service'}`;
    const extension = facts.extensions.find((text) => other.extensions.includes(text));
    if (otherName === name) return `the format name "${name}" is ${by}`;
    if (extension !== undefined) return `the file name extension "${extension}" is ${by}`;
    if (other.mediaType === facts.mediaType) return `the media type "${facts.mediaType}" is ${by}`;
  }
  return undefined;
}

/**
 * Adds a format that results may have, for this process. Adding it again changes nothing.
 * @param name lower-case letters and digits, as in `format=qoi`; not taken
 */
export function addResultFormat(name: string, facts: AddedFacts): void {
  if (!known.has(name)) known.set(name, facts);
}

/** Values of the option `format` that are not formats. */
const RESERVED: readonly string[] = ['same', 'auto'];

/** Returns the names of the formats that results may have. */
export function resultFormats(): readonly ResultFormatName[] {
  return [...known.keys()];
}

export function isResultFormat(name: string): name is ResultFormatName {
  return known.has(name);
}

/** @throws RangeError when there is no such format */
export function factsOf(format: ResultFormatName): ResultFacts {
  const facts = known.get(format);
  if (!facts) throw new RangeError(`There is no format ${JSON.stringify(format)}`);
  return facts;
}

/** The values of the option `format`, as part of a sentence. */
export function formatChoices(): string {
  return `same, auto, or one or more of ${resultFormats().join(', ')}, separated by commas`;
}

/** The value of the option `format`: accepted formats, or `auto` for those that the client names elsewhere. */
export type AskedFormats = readonly (ResultFormatName | 'same')[] | 'auto';

/** How the option `format` is written. */
export const FORMATS_PATTERN = /^[a-z0-9]{1,16}(,[a-z0-9]{1,16})*$/;

/** Reads the option `format`, such as `avif,webp`; undefined if it names an unknown format. */
export function formatsFrom(text: string): AskedFormats | undefined {
  if (text === 'auto') return 'auto';
  const names = text.split(',');
  const formats = names.map((name) => (name === 'same' ? name : formatNamed(name)));
  return formats.every((format) => format !== undefined) ? [...new Set(formats)] : undefined;
}

/** People write `jpg`, so every file name extension is a name too. */
function formatNamed(name: string): ResultFormatName | undefined {
  return isResultFormat(name)
    ? name
    : resultFormats().find((format) => factsOf(format).extensions.includes(name));
}

/** Returns the format of a media type, such as `image/avif; q=0.5`; undefined for types that no result has. */
export function formatOfMediaType(mediaType: string): ResultFormatName | undefined {
  const [type = ''] = mediaType.split(';');
  const wanted = type.trim().toLowerCase();
  return resultFormats().find((format) => factsOf(format).mediaType === wanted);
}

/** As formatOfMediaType, with the names and extensions of the format. */
export function factsOfMediaType(mediaType: string): FormatFacts | undefined {
  const format = formatOfMediaType(mediaType);
  return format === undefined ? undefined : factsOf(format);
}

/** Number of bytes that formatBySignature needs. */
export const SIGNATURE_BYTES = Math.max(
  ...Object.values(UPLOAD_FORMATS).map(({ signature }) => signature.length),
);

/** Returns the format by the first bytes of the file, regardless of its name and declared type; undefined for others. */
export function formatBySignature(bytes: Uint8Array): UploadFormat | undefined {
  return uploadFormats.find((name) => UPLOAD_FORMATS[name].signature.every((byte, i) => bytes[i] === byte));
}

/** Other formats that people send: name, place of the signature, signature. */
const OTHERS = [
  ['a GIF', 0, 'GIF8'],
  ['a WebP', 8, 'WEBP'],
  ['an AVIF', 4, 'ftypavi'],
  ['a HEIC', 4, 'ftyphe'],
  ['a HEIC', 4, 'ftypmif1'],
  ['a JPEG XL', 4, 'JXL '],
  ['a TIFF', 0, 'II*\0'],
  ['a TIFF', 0, 'MM\0*'],
  ['an SVG', 0, '<svg'],
  ['a PDF', 0, '%PDF-'],
] as const;

/** Number of bytes that otherFormat needs. */
export const OTHER_SIGNATURE_BYTES = 16;

/** Returns the kind of a file that formatBySignature does not know, with its article, such as "a PDF"; undefined if unknown. */
export function otherFormat(bytes: Uint8Array): string | undefined {
  const text = String.fromCharCode(...bytes.subarray(0, OTHER_SIGNATURE_BYTES));
  return OTHERS.find(([, at, signature]) => text.startsWith(signature, at))?.[0];
}

/** Returns the start of a sentence about a file that formatBySignature does not know. It names the kind of file if possible. */
export function notAnUpload(bytes: Uint8Array): string {
  const name = otherFormat(bytes);
  return `The file is ${UPLOADS.notA}${name === undefined ? '' : ` but ${name}`}`;
}
