/**
 * Why an image is refused: 415 and 422. All entry points show these sentences; only HTTP adds advice about
 * its options. A worker sends reason, sentence and numbers, of which the service process makes the error
 * again.
 */
import { Formats, notAnUpload, withArticle } from './formats';
import { Problem, type ProblemCode } from './problem';
import { mebibytes } from './units';

/** The reasons to refuse an upload, with the code that an HTTP client receives. */
const OF_UPLOADS = {
  'not-an-image': 'unsupported_media_type',
  empty: 'unsupported_media_type',
  damaged: 'undecodable_image',
  undecodable: 'undecodable_image',
  unsupported: 'undecodable_image',
  'too-complex': 'undecodable_image',
  'too-many-pixels': 'too_many_pixels',
  'too-much-memory': 'needs_too_much_memory',
  'over-byte-limit': 'budget_unreachable',
  conversion: 'cannot_convert',
  animation: 'cannot_convert',
  colours: 'cannot_convert',
  'no-encoder': 'cannot_convert',
  'side-too-long': 'cannot_convert',
  transparency: 'cannot_convert',
  'nine-patch': 'cannot_convert',
} as const satisfies Record<string, ProblemCode>;

/** A worker sends no other reason. */
const CODE_OF = {
  ...OF_UPLOADS,
  // Of comparisons, which are not offered over HTTP.
  'not-a-result': 'unsupported_media_type',
  'undecodable-result': 'undecodable_image',
  'larger-image': 'cannot_compare',
  'other-shape': 'cannot_compare',
  'other-colours': 'cannot_compare',
  frames: 'cannot_compare',
  'no-decoder': 'cannot_compare',
} as const satisfies Record<string, ProblemCode>;

export type RefusalReason = keyof typeof CODE_OF;
export type RefusalCode = (typeof CODE_OF)[RefusalReason];

export const REFUSAL_REASONS = Object.keys(CODE_OF) as RefusalReason[];
export const UPLOAD_REASONS = Object.keys(OF_UPLOADS) as RefusalReason[];

/** Numbers that a program may want: pixels, bytes or scans, in the unit of the sentence. */
export interface RefusalNumbers {
  /** What is allowed. */
  readonly limit?: number;
  /** The value that exceeds it. */
  readonly actual?: number;
}

/** Advice to clients of the HTTP API, where the sentence has none. Other entry points name their options differently. */
const ADVICE: Readonly<Partial<Record<RefusalCode, string>>> = {
  budget_unreachable: 'Raise "max_bytes", or send "allow=any".',
  cannot_convert: 'Use "format=same", or "format=auto".',
};

/** The image is at fault, not the service. `message` says what is wrong; `detail` adds what an HTTP client can do. */
export class ImageRefused extends Problem {
  declare readonly code: RefusalCode;

  constructor(
    readonly reason: RefusalReason,
    message: string,
    readonly numbers: RefusalNumbers = {},
    /** For the operator: a sentence about the package that read the upload. */
    readonly fault?: string,
  ) {
    const code = CODE_OF[reason];
    const advice = ADVICE[code];
    super(code, advice === undefined ? message : `${message} ${advice}`, { ...numbers, reason });
    this.message = message;
  }
}

/** @param start the first bytes of the file; 12 of them identify the format. Empty for an empty file */
export const notAnImage = (start: Uint8Array = new Uint8Array(1), formats = Formats.builtIn) =>
  start.length === 0
    ? new ImageRefused('empty', 'The image file is empty.')
    : new ImageRefused('not-an-image', `${notAnUpload(start, formats)}, judging by its first bytes.`);

export const undecodable = (format: string, fault?: string) =>
  new ImageRefused(
    'undecodable',
    `The ${format} cannot be decoded: it is damaged, truncated or of an unsupported type.`,
    {},
    fault,
  );

/** @param format its label */
export const damaged = (format: string, damage: string) =>
  new ImageRefused('damaged', `The ${format} is damaged: ${damage}.`);

export const cutOff = (format: string) => damaged(format, 'it is cut off');

/** Apple's variant stores colours in another order, multiplied by alpha, and deflates them without a header. */
export const applePng = () =>
  new ImageRefused(
    'unsupported',
    "The PNG is in Apple's own variant (CgBI), which Xcode makes for apps and only Apple's programs read. " +
      'Take the file from before the build, or convert it with "xcrun pngcrush -revert-iphone-optimizations".',
  );

export const tooManyChunks = () => new ImageRefused('too-complex', 'The PNG has too many chunks.');

export const tooMuchBeforeImageData = (what: 'segments' | 'stray bytes') =>
  new ImageRefused('too-complex', `The JPEG has too many ${what} before its image data.`);

/** @param limit at the size of this image: each scan of a progressive JPEG is a pass over all of it */
export const tooManyScans = (scans: number, limit: number) =>
  new ImageRefused(
    'too-complex',
    `The JPEG has ${scans} scans; the limit at its size is ${limit}. Save it with fewer scans.`,
    { limit, actual: scans },
  );

/** @param features rare features of the JPEG standard, as part of a sentence */
export const undecodableFeatures = (features: string) =>
  new ImageRefused(
    'unsupported',
    `The JPEG cannot be decoded: it is damaged, or it uses ${features}, which this service does not support. ` +
      'Save it as an 8-bit baseline or progressive JPEG.',
  );

/** @param maxPixels limit of width × height */
export const tooManyPixels = (
  { width, height }: { readonly width: number; readonly height: number },
  maxPixels: number,
) =>
  new ImageRefused(
    'too-many-pixels',
    `The image has ${width} x ${height} pixels; the limit is ${(maxPixels / 1e6).toLocaleString('en')} megapixels.`,
    { limit: maxPixels, actual: width * height },
  );

/** The longest accepted side in pixels: the longest that a JPG can have. */
export const MAX_SIDE_PX = 65_535;

export const sideTooLong = (longest: number) =>
  new ImageRefused(
    'too-many-pixels',
    `One side of the image has ${longest} pixels; the limit is ${MAX_SIDE_PX.toLocaleString('en')}.`,
    { limit: MAX_SIDE_PX, actual: longest },
  );

/** The worker was stopped while it compressed the image. Sizes are in bytes. */
export const needsTooMuchMemory = (limit: number, actual: number) =>
  new ImageRefused(
    'too-much-memory',
    'The image needs much more memory than an image of its size should, so its compression was stopped. Save it in another program and try again.',
    { limit, actual },
  );

/** Its decoder holds the whole image, however small the result is. Sizes are in bytes. */
export const needsTooMuchToDecode = (limit: number, actual: number) =>
  new ImageRefused(
    'too-much-memory',
    `The image needs ${mebibytes(actual)} MiB of memory to be decoded; the limit is ${mebibytes(limit)} MiB. Scale it down before you upload it.`,
    { limit, actual },
  );

/** A scaled-down image can be much larger than its upload. Sizes are in bytes. */
export const resultTooLarge = (limit: number, actual: number) =>
  new ImageRefused(
    'too-many-pixels',
    `The result takes ${actual} bytes, more than the limit of ${limit}. Scale the image down before you upload it, or send a JPG.`,
    { limit, actual },
  );

/** Why the format that was asked for cannot hold the image: as a reason, and as part of a sentence. */
export interface Obstacle {
  readonly reason: RefusalReason;
  readonly words: string;
}

export const cannotConvert = ({ reason, words }: Obstacle) =>
  new ImageRefused(reason, `The image cannot be converted: ${words}.`);

export const LOST_FRAMES: Obstacle = {
  reason: 'animation',
  words: 'it is animated, and the result would lose its frames',
};

/** Only the format of the upload describes them. */
export const LOST_COLOURS: Obstacle = {
  reason: 'colours',
  words:
    'no other format can describe its colours (PQ, HLG, another curve that only cICP names, or a profile for Lab)',
};

/** @param label of the format */
export const lostTransparency = (label: string): Obstacle => ({
  reason: 'transparency',
  words: `it has transparency, which ${label} cannot hold`,
});

/** How to save an image so that a decoder need not hold all of it. */
const HELD_WHOLE = {
  'progressive JPEG': 'save it as a baseline JPEG',
  'interlaced PNG': 'save it without interlacing',
} as const;

/** A decoder must hold the whole image, so fewer pixels are allowed. Both numbers are width × height. */
export const tooManyPixelsToHold = (kind: keyof typeof HELD_WHOLE, actual: number, limit: number) =>
  new ImageRefused(
    'too-many-pixels',
    `The image is ${withArticle(kind)}, which may have at most ${Math.floor(limit / 1e6)} megapixels; ${HELD_WHOLE[kind]}.`,
    { limit, actual },
  );

/** @param smallest bytes of the smallest result that may be delivered */
export const budgetUnreachable = (maxBytes: number, smallest: number) =>
  new ImageRefused(
    'over-byte-limit',
    `The smallest acceptable result has ${smallest} bytes, more than the ${maxBytes} that you asked for.`,
    { limit: maxBytes, actual: smallest },
  );
