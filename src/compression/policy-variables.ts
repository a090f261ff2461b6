/** The environment variables about what results are like; compression.settings.ts has those of the service around them. */
import { resolve } from 'node:path';
import { z } from 'zod';
import { formatChoices, formatsFrom, type AskedFormats } from '../contract/formats';
import { choice, decimal, integer } from '../environment/settings-slice';
import {
  EFFORTS,
  KEPT_COMPANIONS,
  KEPT_METADATA,
  LEAST_DIMENSION_PX,
  MOST_DIMENSION_PX,
  PNG_DEPTHS,
  PNG_MODES,
  REFERENCES,
  type CompressionPolicy,
  type DeploymentPolicy,
} from './domain/compression-policy';
import { faultOfModule } from './format-modules';
import { qualityTarget } from './quality-target';

export const policyVariables = {
  QUALITY: qualityTarget.prefault('high').describe('target for the visual quality of JPGs'),
  EFFORT: choice(EFFORTS)
    .prefault('balanced')
    .describe('how much time to spend on smaller files; the quality is the same'),
  MAX_DIMENSION_PX: integer(LEAST_DIMENSION_PX, MOST_DIMENSION_PX)
    .prefault('3840')
    .describe('longer side in pixels; larger images are scaled down'),
  MAX_PIXELS_MP: decimal(0.01, 4096)
    .prefault('268')
    .describe('largest accepted number of megapixels, read from the header'),
  MIN_SAVINGS_PERCENT: decimal(0, 100)
    .prefault('2')
    .describe('smallest saving for which a file is rewritten'),
  // Before FORMAT, which may name what the modules add.
  FORMAT_MODULES: z
    .string()
    .transform((text, context) => {
      const paths = text === 'none' ? [] : text.split(',');
      for (const path of paths) {
        const fault = faultOfModule(path);
        if (fault) context.addIssue(fault);
      }
      return paths.map((path) => resolve(path));
    })
    .prefault('none')
    .describe('CommonJS modules that add formats of results, separated by commas: see docs/adding-a-codec.md')
    .meta({ accepts: 'none, or paths' }),
  FORMAT: z
    .string()
    .transform((text, context) => {
      const formats = formatsFrom(text);
      if (formats) return formats;
      context.addIssue(`must be ${formatChoices()}`);
      return z.NEVER;
    })
    .prefault('same')
    .describe(
      'format of results where the request does not say; same: that of the upload; auto: the smallest of that and those that Accept names; or formats, of which the smallest is used',
    )
    .meta({ accepts: 'same, auto, or formats separated by commas: jpeg, png, webp, avif' }),
  PNG_MODE: choice(PNG_MODES)
    .prefault('auto')
    .describe(
      'which invisible losses are allowed; auto: a palette, or channel values changed by a few of 255; palette: only a palette; lossless: none',
    ),
  PNG_DEPTH: choice(PNG_DEPTHS)
    .prefault('keep')
    .describe(
      'bits per sample of PNGs with 16; keep: 16, unless 8 hold the same values; 8: samples are rounded to 8 bits, also with PNG_MODE=lossless',
    ),
  REFERENCE: choice(REFERENCES)
    .prefault('upload')
    .describe(
      'what the loss of a JPG is measured against; upload: the uploaded file, while the total loss of all codings stays within that of QUALITY=low; original: the losses of earlier codings count towards QUALITY',
    ),
  KEEP_METADATA: choice(KEPT_METADATA)
    .prefault('none')
    .describe(
      'which metadata a rewritten file keeps; copyright: author and copyright; all: everything that is still true',
    ),
  KEEP_COMPANIONS: choice(KEPT_COMPANIONS)
    .prefault('gain-map')
    .describe(
      'which data after the image of a JPG are kept; gain-map: HDR gain maps, but no videos or further images; none: nothing; all: files with a video or further images are returned unchanged',
    ),
};

type PolicyValues = z.output<z.ZodObject<typeof policyVariables>>;

export function policyOf(e: PolicyValues): DeploymentPolicy {
  return {
    maxDimensionPx: e.MAX_DIMENSION_PX,
    maxPixels: Math.floor(e.MAX_PIXELS_MP * 1e6),
    targetScore: e.QUALITY,
    effort: e.EFFORT,
    pngMode: e.PNG_MODE,
    pngDepth: e.PNG_DEPTH,
    minSavingsRatio: e.MIN_SAVINGS_PERCENT / 100,
    keepMetadata: e.KEEP_METADATA,
    reference: e.REFERENCE,
    keepCompanions: e.KEEP_COMPANIONS,
    ...formatsOf(e.FORMAT),
  };
}

/** Without a header to name them, `auto` accepts what current browsers show. */
const SHOWN_BY_BROWSERS = ['same', 'avif', 'webp'] as const;

function formatsOf(asked: AskedFormats): Pick<CompressionPolicy, 'formats'> {
  if (asked === 'auto') return { formats: SHOWN_BY_BROWSERS };
  return asked.every((format) => format === 'same') ? {} : { formats: asked };
}
