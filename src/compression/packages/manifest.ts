/**
 * The manifest of a codec package: plain data that the service reads without running the package's code.
 * docs/adding-a-codec.md lists the members. Unknown members are faults, so that a misspelt one is noticed.
 */
import { z } from 'zod';
import { MAX_SIGNATURE_LENGTH, MAX_SIGNATURE_OFFSET } from '../../contract/formats';
import { BLOCK_NAMES } from '../formats/embedded-blocks';

/** The version of the interface between the service and codec packages. A change that breaks packages increments it. */
const API_VERSION = 1;
/** The member of package.json; a single file NAME.mjs has its manifest in NAME.json beside it. */
export const MANIFEST_KEY = 'imageCompression';

const DEFAULT_SIDE_PX = 16_384;
/** More than any encoder of the service takes (60). */
const DEFAULT_BYTES_PER_PIXEL = 100;

const quality = z.number().min(0).max(100);
const ratio = z.number().min(0.1).max(10);

const HEX = new RegExp(`^([0-9a-f]{2}){2,${MAX_SIGNATURE_LENGTH}}$`);
const signature = z.strictObject({
  offset: z.int().min(0).max(MAX_SIGNATURE_OFFSET).default(0),
  hex: z.string().regex(HEX, `must be 2 to ${MAX_SIGNATURE_LENGTH} bytes in lower-case hexadecimal digits`),
});

const format = z.strictObject({
  name: z.string().regex(/^[a-z0-9]{1,16}$/, 'must be 1 to 16 lower-case letters and digits'),
  label: z.string().min(1),
  mediaType: z.string().regex(/^image\/[a-z0-9.+-]+$/, 'must be a media type, such as image/qoi'),
  extensions: z
    .array(z.string().regex(/^[a-z0-9]{1,16}$/, 'must be lower-case letters and digits'))
    .min(1)
    .transform((list) => list as [string, ...string[]]),
  signatures: z.array(signature).max(16).default([]),
  maxSidePx: z.int().min(1).default(DEFAULT_SIDE_PX),
  maxPixels: z.int().min(1).optional(),
  hasAlpha: z.boolean().default(false),
  uploads: z.boolean().default(false),
  holds: z.array(z.enum(BLOCK_NAMES)).default([]),
  maxBlockBytes: z.int().min(1).optional(),
  bytesPerPixel: z.number().min(0).max(10_000).default(DEFAULT_BYTES_PER_PIXEL),
  baseMegabytes: z.number().min(0).max(4096).default(0),
  chroma: z
    .array(z.enum(['4:4:4', '4:2:0']))
    .min(1)
    .default(['4:4:4']),
  curve: z
    .array(z.tuple([quality, z.number().gt(0).lt(1)]))
    .min(2)
    .refine(
      (points) =>
        points.every(([q, loss], i) => i === 0 || (q > points[i - 1][0] && loss < points[i - 1][1])),
      'must list rising qualities with falling losses',
    )
    .optional(),
  sizeSlope: z.number().max(-0.05).min(-5).default(-0.6),
  lossOfFile: ratio.default(1),
  sizeOfFile: ratio.default(1),
});

const engine = z.strictObject({
  /** Memory for an image, as a multiple of the native engine's. */
  memoryFactor: z.number().min(0.5).max(20).default(2),
});

const manifest = z.strictObject({
  apiVersion: z.literal(API_VERSION, {
    error: ({ input }) =>
      `is ${input === undefined ? 'missing' : JSON.stringify(input)}; this service has version ${API_VERSION} of the codec interface`,
  }),
  format: format.optional(),
  engine: engine.optional(),
});

export type Manifest = z.infer<typeof manifest>;
export type FormatManifest = z.infer<typeof format>;

/** Returns the fault as the end of a sentence: "format.label Invalid input". */
export function readManifest(value: unknown): Manifest | string {
  const { success, data, error } = manifest.safeParse(value);
  if (success) return data;
  // A manifest of another version may have any members, so the version comes first.
  const issues = error.issues.map(({ path, message }) => ({ where: path.join('.'), message }));
  const { where, message } = issues.find((issue) => issue.where === 'apiVersion') ?? issues[0];
  return where === '' ? message : `${where}: ${message}`;
}
