/**
 * Every option of a compression, by its name in the library. Environment, HTTP API, command line, library and
 * documentation read this table, in its order: a row is all that an option needs.
 */
import { choice, decimal, integer, tenths } from '../../environment/settings-slice';
import {
  EFFORTS,
  KEPT_METADATA,
  LEAST_DIMENSION_PX,
  MOST_DENSITY,
  MOST_DIMENSION_PX,
  QUALITY_TARGETS,
} from '../domain/compression-policy';
import type { Option } from './option';
import { bytes, acceptFormats, modules, pixels, QUALITY_PATTERN, qualityTarget, text } from './values';
import { Formats } from '../../contract/formats';

const FORMAT_NAMES = Formats.builtIn.names;

export const OPTIONS = {
  quality: {
    schema: qualityTarget.transform((targetScore) => ({ targetScore })),
    variable: 'QUALITY',
    defaultValue: 'high',
    meaning: 'how similar results must look; lossless: nothing is lost',
    parameter: 'quality',
    description:
      'How good the result has to look: `low`, `medium`, `high`, `very-high`, or a score from 0.9 to 0.9999. With `lossless` nothing is lost: a JPG is rewritten with the same samples, a PNG keeps every sample, and other formats are written without loss or not at all. An image that has to be scaled down gets new samples. `lossless` cannot be combined with `max_bytes`, or a `density` above 1.',
    pattern: QUALITY_PATTERN,
    example: 'medium',
    effectiveDefault: ({ targetScore }) => {
      const named = Object.entries(QUALITY_TARGETS).find(([, score]) => score === targetScore);
      return named?.[0] ?? String(targetScore);
    },
    flag: '-q, --quality <level>',
    help: 'low, medium, high, very-high, lossless, or a score such as 0.9914 (default: high)',
  },
  density: {
    schema: tenths(1, MOST_DENSITY).transform((density) => ({ density })),
    parameter: 'density',
    description:
      'Pixels of the result per CSS pixel at which it will be shown, from 1 to 4 with one decimal: `2` for an image in a page that is half as wide as the file. The image keeps its pixels and is compressed more, because it is compared as it is seen there. Zoom and print show the loss.',
    example: 2,
    effectiveDefault: () => 1,
    flag: '--density <number>',
    help: 'same pixels, compressed more to be shown smaller: 1 full size (default), 2 half (2x, retina), up to 4',
  },
  effort: {
    schema: choice(EFFORTS).transform((effort) => ({ effort })),
    variable: 'EFFORT',
    defaultValue: 'balanced',
    meaning: 'time to spend on smaller files, at the same quality',
    parameter: 'effort',
    description: 'Time against bytes, at the same quality.',
    example: 'max',
    effectiveDefault: ({ effort }) => effort,
    flag: '--effort <level>',
    help: 'fast, balanced or max: more time for fewer bytes',
  },
  maxDimension: {
    schema: integer(LEAST_DIMENSION_PX, MOST_DIMENSION_PX).transform((maxDimensionPx) => ({
      maxDimensionPx,
    })),
    variable: 'MAX_DIMENSION_PX',
    defaultValue: '3840',
    meaning: 'longer side in pixels; larger images are scaled down',
    parameter: 'max_dimension',
    description: 'The longer side of the result in pixels, at most. A larger image is scaled down.',
    example: 1920,
    effectiveDefault: ({ maxDimensionPx }) => maxDimensionPx,
    forDeployment: ({ policy: { maxDimensionPx: most } }) =>
      pixels(most).transform((maxDimensionPx) => ({ maxDimensionPx, defaultMaxDimensionPx: most })),
    flag: '--max-dimension <px>',
    help: 'scale down images with a longer side than this',
  },
  metadata: {
    schema: choice(KEPT_METADATA).transform((keepMetadata) => ({ keepMetadata })),
    variable: 'KEEP_METADATA',
    defaultValue: 'none',
    meaning:
      'metadata that a rewritten file keeps; copyright: author and owner; all: everything that is still true',
    parameter: 'metadata',
    description:
      'What a rewritten file keeps of its metadata: `none`; `copyright`, who made and owns it; `all`, everything that is still true of it. With `none` and `copyright`, an image that cannot become smaller loses what is private, such as a position.',
    example: 'copyright',
    effectiveDefault: ({ keepMetadata }) => keepMetadata,
    flag: '--keep-metadata <what>',
    help: 'none, copyright (author and owner) or all',
  },
  maxMegapixels: {
    schema: decimal(0.01, 4096).transform((millions) => ({ maxPixels: Math.floor(millions * 1e6) })),
    variable: 'MAX_PIXELS_MP',
    defaultValue: '268',
    meaning: 'largest accepted number of megapixels, read from the header',
  },
  minSavingsPercent: {
    schema: decimal(0, 100).transform((percent) => ({ minSavingsRatio: percent / 100 })),
    variable: 'MIN_SAVINGS_PERCENT',
    defaultValue: '2',
    meaning: 'smallest saving for which a file is rewritten',
    flag: '--min-savings <percent>',
    help: 'leave a file unchanged if it would shrink by less than this',
  },
  // Unlike the others, it holds for all images.
  formatModules: {
    schema: modules,
    variable: 'FORMAT_MODULES',
    defaultValue: 'none',
    meaning: 'packages that add formats, separated by commas: see docs/adding-a-codec.md',
    flag: '--format-module <package>',
    help: 'a package or file that adds a format; may be repeated',
    isList: true,
  },
  format: {
    schema: text.transform((formatNames) => ({ formatNames })),
    variable: 'FORMAT',
    defaultValue: 'same',
    meaning: 'format of results if the request names none: same, auto, or formats: see docs/formats.md',
    parameter: 'format',
    description: `The format of the result: \`same\`, that of the upload; one of ${FORMAT_NAMES.map((name) => `\`${name}\``).join(', ')}, \`jxl\`; several, separated by commas, of which the smallest is used; or \`auto\`, the smallest of the upload's own format and those that \`Accept\` names. Sizes are compared at the same quality. 422 \`cannot_convert\` when a format that you name cannot hold the image.`,
    example: 'auto',
    effectiveDefault: (policy) => policy.formats?.join(',') ?? 'same',
    forDeployment: ({ knownFormats }) => acceptFormats(knownFormats).transform((formats) => ({ formats })),
    flag: '--format <format>',
    help: `same, auto, or ${FORMAT_NAMES.join(', ')}; several, separated by commas, give the smallest (default: same)`,
  },
  maxBytes: {
    schema: bytes.transform((maxBytes) => ({ maxBytes })),
    parameter: 'max_bytes',
    description:
      'The largest size of the result: `200000`, `200kB`, `1.5MB`. Where the usual result is larger, its quality is lowered, but not below `low`; if that is not enough, it is scaled down, to an eighth of its width and height at most. `X-Budget` says whether it fits; 422 `budget_unreachable` when nothing does.',
    example: '200kB',
    flag: '--max-bytes <size>',
    help: 'fit each image into this size, such as 200kB; an image that does not fit fails',
  },
  allow: {
    schema: choice(['any']).transform((allow) => ({ allow })),
    parameter: 'allow',
    description:
      'With `max_bytes`: `any` accepts a quality below `low`, and the smallest result where none fits.',
    example: 'any',
    flag: '--allow <what>',
    help: 'any, with --max-bytes: accept a quality below low, and the smallest result if none fits',
  },
} as const satisfies Readonly<Record<string, Option>>;
