/** Two tables: the upload formats and the result formats. All facts about a format outside of the recipes come from them. */

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
}

/** Memory of a worker in bytes per pixel of the result, for an image without and with transparency: see memory-demand.ts. */
export interface PixelMemory {
  readonly opaque: number;
  readonly transparent: number;
}

interface UploadFacts {
  /** The first bytes that identify a file. */
  readonly signature: readonly number[];
  readonly memory: {
    readonly bytesPerPixel: PixelMemory;
    /** Bytes of its output that the encoder holds, as a multiple of the upload. */
    readonly codedBytesPerUploadByte: number;
    /** Whether the encoder takes its memory only when the decoder has released its own. */
    readonly encodesAfterDecoding: boolean;
  };
}

const UPLOAD_FORMATS = {
  jpeg: {
    signature: [0xff, 0xd8, 0xff],
    memory: {
      // 25.8 with the fixed amount, at 14.7 megapixels.
      bytesPerPixel: { opaque: 26, transparent: 26 },
      codedBytesPerUploadByte: 18,
      encodesAfterDecoding: true,
    },
  },
  png: {
    signature: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a],
    memory: {
      // 37.4 and 55.4 at 14.7 megapixels, 41.3 and 65.4 at 4; for the third image of a worker 49.2 and 75.2.
      bytesPerPixel: { opaque: 52, transparent: 78 },
      codedBytesPerUploadByte: 0,
      encodesAfterDecoding: false,
    },
  },
} as const satisfies Record<string, UploadFacts>;

export type UploadFormat = keyof typeof UPLOAD_FORMATS;

export interface ConversionMemory {
  readonly bytesPerPixel: PixelMemory;
  readonly baseBytes: number;
}

/** The result formats of this repository, those that most browsers show first. Packages of the operator may add more: see ResultFormats. */
export const RESULT_FORMATS = {
  jpeg: {
    label: 'JPG',
    mediaType: 'image/jpeg',
    extensions: ['jpg', 'jpeg', 'jpe', 'jfif'],
    // 28.8 at 14.7 megapixels. It has no transparency.
    memory: perPixel(36, 36),
  },
  png: {
    label: 'PNG',
    mediaType: 'image/png',
    extensions: ['png'],
    // 27.8 at 14.7 megapixels; with transparency an upload is a PNG already.
    memory: perPixel(36, 78),
  },
  webp: {
    label: 'WebP',
    mediaType: 'image/webp',
    extensions: ['webp'],
    // 45.4 and 95.2 at 4 megapixels, without loss.
    memory: perPixel(52, 100),
    signatures: [{ offset: 8, hex: '57454250' }],
  },
  avif: {
    label: 'AVIF',
    mediaType: 'image/avif',
    extensions: ['avif'],
    // 41.9 and 83.2 at 14.7 megapixels, 86.9 with transparency at 8.
    memory: perPixel(48, 90),
    signatures: [{ offset: 4, hex: '66747970617669' }],
  },
} as const satisfies Record<
  string,
  FormatFacts & { readonly memory: ConversionMemory; readonly signatures?: readonly Signature[] }
>;

function perPixel(opaque: number, transparent: number): ConversionMemory {
  return { bytesPerPixel: { opaque, transparent }, baseBytes: 0 };
}

export type BuiltInFormat = keyof typeof RESULT_FORMATS;
/** Besides the format of the upload, `auto` chooses from these where no header names others: current browsers show them. */
export const SHOWN_BY_BROWSERS = ['avif', 'webp'] as const satisfies BuiltInFormat[];
/** The name of a format that results may have; one that was added is any other string. */
export type ResultFormatName = BuiltInFormat | (string & {});

const uploadFormats = Object.keys(UPLOAD_FORMATS) as UploadFormat[];
const uploadLabels = uploadFormats.map((format) => RESULT_FORMATS[format].label);

export const UPLOADS = {
  and: uploadLabels.join(' and '),
  or: uploadLabels.join(' or '),
  neitherNor: `neither ${uploadLabels.join(' nor ')}`,
  notA: `neither a ${uploadLabels.join(' nor a ')}`,
} as const;
export const UPLOAD_MEDIA_TYPES: readonly string[] = uploadFormats.map(
  (format) => RESULT_FORMATS[format].mediaType,
);
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

export function findMemory(format: UploadFormat): UploadFacts['memory'] {
  return UPLOAD_FORMATS[format].memory;
}

/** Ignores parameters, as in `image/avif; q=0.5`. */
export function hasMediaType(mediaType: string): (facts: FormatFacts) => boolean {
  const [type = ''] = mediaType.split(';');
  const wanted = type.trim().toLowerCase();
  return (facts) => facts.mediaType === wanted;
}

/** Returns the names of the format of this repository with a media type; undefined for others. */
export function factsOfMediaType(mediaType: string): FormatFacts | undefined {
  return Object.values(RESULT_FORMATS).find(hasMediaType(mediaType));
}

export const SIGNATURE_BYTES = Math.max(
  ...Object.values(UPLOAD_FORMATS).map(({ signature }) => signature.length),
);

/** Returns the format by the first bytes of the file, regardless of its name and declared type; undefined for others. */
export function formatBySignature(bytes: Uint8Array): UploadFormat | undefined {
  return uploadFormats.find((name) => UPLOAD_FORMATS[name].signature.every((byte, i) => bytes[i] === byte));
}

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
