/**
 * Makes the format of a package, its manifest and its code, one that the recipes can use. Nothing that a
 * package returns is trusted: each value is checked, and a fault names the package.
 */
import type {
  DecodedFile,
  DecodedUpload,
  FormatCode,
  ImageFacts,
  LossyCoding,
  ResultFormat,
  UploadReader,
} from '../application/result-format.port';
import { sameSize } from '../domain/dimensions';
import type { ChromaSubsampling } from '../domain/pixels';
import { LOSS_AT_SSIMULACRA2_80 } from '../domain/score/ssim-score';
import type { Patience } from '../domain/search/quality-search';
import { curveAt, shiftForDensity, type CurveModel } from '../domain/search/trial-curve';
import { undecodable } from '../../contract/image-problems';
import { errorMessage } from '../../contract/problem';
import { REMOVED_DATA } from '../../contract/report-words';
import { BLOCK_NAMES } from '../formats/embedded-blocks';
import { PackageFailed } from './codec-package';
import type { FormatManifest } from './manifest';

/** For packages that have not measured theirs. A wrong curve costs encodes, not quality. */
const DEFAULT_CURVE: NonNullable<FormatManifest['curve']> = [
  [20, 0.06],
  [40, 0.034],
  [60, 0.02],
  [75, 0.012],
  [85, 0.0075],
  [92, 0.0045],
  [98, 0.0018],
];
/** Tiles of a mosaic get a border, because transforms of modern encoders reach over the seams. */
const SEAM_PX = 8;
const SMALL_PIXELS = 3_000_000;
/** Characters of a package's message that are repeated. */
const MAX_REASON = 300;

export function addedFormat(manifest: FormatManifest, code: FormatCode): ResultFormat {
  const { name, label, maxSidePx, maxPixels, hasAlpha, holds, maxBlockBytes, chroma } = manifest;
  return {
    name,
    label,
    maxSidePx,
    maxPixels,
    hasAlpha,
    holds,
    maxBlockBytes,
    lossy: code.encode ? chroma.map((mode) => coding(manifest, mode, code)) : [],
    ...(code.encodeLosslessly && {
      encodeLosslessly: (pixels, options) =>
        expectBytes(() => code.encodeLosslessly?.(pixels, options), name, 'encodeLosslessly'),
    }),
    decode: async (file, original) => {
      const decoded = expectImage(await called(() => code.decode(file, original), name, 'decode'), name);
      if (sameSize(decoded, original)) return decoded;
      const [actual, expected] = [decoded, original].map(({ width, height }) => `${width} x ${height}`);
      throw failed(name, `"decode" returns ${actual} pixels instead of ${expected}`);
    },
    read: async (file, original) => {
      let decoded: DecodedUpload;
      try {
        decoded = await code.decode(file, original);
      } catch {
        return undefined;
      }
      return expectImage(decoded, name);
    },
    releaseMemory: code.releaseMemory?.bind(code),
  };
}

/** Whatever the code throws, the upload is at fault. */
export function addedReader({ name, label }: FormatManifest, code: FormatCode): UploadReader {
  const asked = <T>(what: 'dimensions' | 'decode', ask: () => T) =>
    called(ask, name, what).catch((error: unknown) => {
      throw undecodable(label, errorMessage(error));
    });
  return {
    name,
    dimensions: async (file) => {
      const size = await asked('dimensions', () => code.dimensions?.(file));
      const { width = 0, height = 0, isAnimated } = size ?? {};
      if ([width, height].every((side) => Number.isSafeInteger(side) && side > 0))
        return { width, height, isAnimated: isAnimated === true };
      throw failed(name, '"dimensions" returns no width and height');
    },
    decode: async (file, dimensions) => {
      const decoded = expectUpload(await asked('decode', () => code.decode(file, dimensions)), name);
      if (!sameSize(decoded, dimensions)) throw undecodable(label);
      return decoded;
    },
  };
}

/** One lossy coding of the format. Its curve is that of the manifest, or a typical one. */
function coding(
  { name, curve: points = DEFAULT_CURVE, sizeSlope, lossOfFile, sizeOfFile }: FormatManifest,
  chroma: ChromaSubsampling,
  code: FormatCode,
): LossyCoding {
  const curve = curveThrough(points, sizeSlope);
  const stepAtDensity1 = Math.round(curve.qualityAt(Math.log(LOSS_AT_SSIMULACRA2_80 / lossOfFile)));
  return {
    chroma,
    curve: ({ density }) => curveAt(density, curve),
    // Below its first point the curve goes on, for qualities that only a dense display allows.
    range: (density) => ({
      lowest: density > 1 ? 1 : Math.ceil(points[0][0]),
      highest: Math.floor(points[points.length - 1][0]),
    }),
    tiles: { seamPx: SEAM_PX },
    trials: ({ density }) => ({
      of: 'mosaic',
      firstStep: shiftForDensity(curve, stepAtDensity1, density),
      lossRatio: lossOfFile,
      sizeRatio: sizeOfFile,
    }),
    patience: choosePatience,
    encode: (pixels, options) =>
      expectBytes(() => code.encode?.(pixels, { ...options, chroma }), name, 'encode'),
  };
}

/** A miss costs another encode of the whole image; one quality step is about 5% of the loss. */
function choosePatience({ effort, pixelCount }: ImageFacts): Patience {
  if (effort === 'max') return { toleratedRoom: 0.04, encodesForBytes: 3 };
  if (effort === 'fast') return { toleratedRoom: 1, encodesForBytes: 1 };
  return pixelCount < SMALL_PIXELS
    ? { toleratedRoom: 0.06, encodesForBytes: 3 }
    : { toleratedRoom: 0.15, encodesForBytes: 2 };
}

/**
 * A curve whose position is the logarithm of the loss, so that its slope is 1; interpolated between the
 * points of the manifest.
 */
function curveThrough(points: readonly (readonly [number, number])[], sizeSlope: number): CurveModel {
  const table = points.map(([quality, loss]) => [quality, Math.log(loss)] as const);
  const along = (from: 0 | 1, to: 0 | 1, value: number) => {
    // Beyond its ends the curve goes on as between the last two points.
    const isPast = (i: number) => (from === 0 ? table[i][0] >= value : table[i][1] <= value);
    const found = table.findIndex((_, i) => i > 0 && isPast(i));
    const at = found < 0 ? table.length - 1 : found;
    const [a, b] = [table[at - 1], table[at]];
    return a[to] + ((value - a[from]) / (b[from] - a[from])) * (b[to] - a[to]);
  };
  return {
    position: (quality) => along(0, 1, quality),
    qualityAt: (position) => along(1, 0, position),
    lossSlope: 1,
    sizeSlope,
    riseByDensity: 1.4,
    // A trial at the chosen quality costs a tenth of an encode that misses.
    hasJumps: true,
  };
}

async function called<T>(call: () => T, name: string, what: keyof FormatCode): Promise<Awaited<T>> {
  try {
    return await call();
  } catch (error) {
    const reason = errorMessage(error).split('\n', 1)[0].slice(0, MAX_REASON).replace(/\.$/, '');
    throw failed(name, `"${what}" throws: ${reason}`, { cause: error });
  }
}

/** @throws PackageFailed when it returns anything else: the code may not be typed */
async function expectBytes(call: () => unknown, name: string, what: keyof FormatCode) {
  const encoded = await called(call, name, what);
  if (encoded instanceof Uint8Array && encoded.length > 0) return encoded;
  throw failed(name, `"${what}" returns no bytes`);
}

/** @throws PackageFailed when it is no image, or its profile is not made of bytes */
function expectImage(decoded: DecodedUpload | null | undefined, name: string): DecodedFile {
  const { data, ...image } = expectUpload(decoded, name);
  if (data instanceof Uint8Array) return { ...image, data };
  throw failed(name, '"decode" returns a result with 16 bits per sample, which only uploads may have');
}

function isImage({ width, height, channels, data }: DecodedUpload) {
  const hasSamples = data instanceof Uint8Array || data instanceof Uint16Array;
  const isSized = [1, 2, 3, 4].includes(channels) && width > 0 && height > 0;
  return isSized && hasSamples && data.length === width * height * channels;
}

function expectUpload(decoded: DecodedUpload | null | undefined, name: string) {
  if (!decoded || !isImage(decoded))
    throw failed(name, '"decode" returns no image with 8 or 16 bits per sample');
  const blocks: Readonly<Record<string, unknown>> = { ...decoded };
  for (const block of [...BLOCK_NAMES, 'credentials'])
    if ((blocks[block] ?? null) !== null && !(blocks[block] instanceof Uint8Array))
      throw failed(name, `"decode" returns an "${block}" that is no Uint8Array`);
  const { cicp, removed = [] } = decoded;
  const isCode = (code: unknown) => Number.isInteger(code) && (code as number) >= 0 && (code as number) < 256;
  if (cicp && !cicp.every(isCode)) throw failed(name, '"decode" returns a "cicp" that is no pair of codes');
  if (!removed.every((kind) => Object.hasOwn(REMOVED_DATA, kind)))
    throw failed(name, `"decode" may name as removed only ${Object.keys(REMOVED_DATA).join(', ')}`);
  return decoded;
}

function failed(name: string, fault: string, options?: ErrorOptions) {
  return new PackageFailed(`The package of the format ${name} fails: ${fault}`, options);
}
