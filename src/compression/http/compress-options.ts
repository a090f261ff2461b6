/** The options of one compression, as query parameters: one schema reads them and documents them. */
import type { ParameterObject, SchemaObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import {
  allowWithoutBudget,
  invalidOption,
  unknownOption,
  type OptionName,
} from '../../contract/option-problems';
import type { Problem } from '../../contract/problem';
import { FORMATS_PATTERN, formatChoices, formatOfMediaType, formatsFrom } from '../../contract/formats';
import { BYTES_PATTERN, bytesFrom } from '../../contract/units';
import { choice } from '../../environment/settings-slice';
import type { CompressionSettings } from '../compression.settings';
import {
  EFFORTS,
  KEPT_METADATA,
  LEAST_DIMENSION_PX,
  PNG_DEPTHS,
  PNG_MODES,
  QUALITY_TARGETS,
  type CompressionPolicy,
  type DeploymentPolicy,
} from '../domain/compression-policy';
import { qualityTarget, QUALITY_PATTERN } from '../quality-target';

const pixels = (most: number) => {
  const error = `must be an integer from ${LEAST_DIMENSION_PX} to ${most}, the limit of this service`;
  const number = z.int({ error }).min(LEAST_DIMENSION_PX, { error }).max(most, { error });
  return z.preprocess((text) => (/^\d{1,9}$/.test(String(text)) ? Number(text) : text), number);
};

const bytes = z
  .string({ error: 'must be given once' })
  .regex(BYTES_PATTERN, { error: 'must be a number of bytes, such as 200000, 200kB or 1.5MB' })
  .transform((text, context) => {
    const size = bytesFrom(text);
    if (size !== undefined) return size;
    const isNothing = Number.parseFloat(text) < 1;
    context.addIssue(
      isNothing ? 'must be a size of 1 byte or more' : `must be at most ${Number.MAX_SAFE_INTEGER} bytes`,
    );
    return z.NEVER;
  });

const formats = z
  .string({ error: 'must be given once' })
  .regex(FORMATS_PATTERN, { error: () => `must be ${formatChoices()}` })
  .transform((text, context) => {
    const asked = formatsFrom(text);
    if (asked) return asked;
    context.addIssue(`must be ${formatChoices()}`);
    return z.NEVER;
  });

/** @param policy of the deployment, whose values hold where the client asks for nothing else */
function optionsUnder(policy: CompressionPolicy) {
  return z.strictObject({
    quality: qualityTarget.optional().meta({
      description:
        'How good the result has to look: `low`, `medium`, `high`, `very-high`, or a score from 0.9 to 0.9999.',
      pattern: QUALITY_PATTERN,
      example: 'medium',
    }),
    format: formats.optional().meta({
      description:
        "The format of the result: `same`, that of the upload; one of `jpeg`, `png`, `webp`, `avif`; several, separated by commas, of which the smallest is used; or `auto`, the smallest of the upload's own format and those that `Accept` names. Sizes are compared at the same quality. 422 `cannot_convert` when a format that you name cannot hold the image.",
      example: 'auto',
    }),
    max_dimension: pixels(policy.maxDimensionPx).optional().meta({
      description: 'The longer side of the result in pixels, at most. A larger image is scaled down.',
      example: 1920,
    }),
    metadata: choice(KEPT_METADATA).optional().meta({
      description:
        'What a rewritten file keeps of its metadata: `none`; `copyright`, who made and owns it; `all`, everything that is still true of it. With `none` and `copyright`, an image that cannot become smaller loses what is private, such as a position.',
      example: 'copyright',
    }),
    effort: choice(EFFORTS).optional().meta({
      description: 'Time against bytes, at the same quality.',
      example: 'max',
    }),
    png_mode: choice(PNG_MODES).optional().meta({
      description:
        'What a PNG may lose where that cannot be seen: `auto`, a palette, or small changes of channels; `palette`, only a palette; `lossless`, nothing, for pixels that are data: a palette keeps its order, and `format=auto` does not convert with loss.',
      example: 'lossless',
    }),
    png_depth: choice(PNG_DEPTHS).optional().meta({
      description:
        'Bits per sample of a PNG with 16: `keep`, 16 unless 8 hold the same values; `8`, samples are rounded to 8 bits, which `X-Removed: bit-depth` says.',
      example: '8',
    }),
    max_bytes: bytes.optional().meta({
      description:
        'The largest size of the result: `200000`, `200kB`, `1.5MB`. Where the usual result is larger, its quality is lowered, but not below `low`; if that is not enough, it is scaled down. `X-Budget` says whether it fits; 422 `budget_unreachable` when nothing does.',
      example: '200kB',
    }),
    allow: choice(['any']).optional().meta({
      description:
        'With `max_bytes`: `any` accepts a quality below `low`, and the smallest result where none fits.',
      example: 'any',
    }),
  } satisfies Record<OptionName, z.ZodType>);
}

/** Reads the options of requests to a deployment. The schema is built once, because that takes 1 ms. */
export class OptionsReader {
  private readonly schema: ReturnType<typeof optionsUnder>;

  constructor(private readonly settings: Pick<CompressionSettings, 'policy' | 'negotiatesFormat'>) {
    this.schema = optionsUnder(settings.policy);
  }

  /**
   * Returns the policy for one request: that of the deployment with what the query asks for.
   * @param acceptedTypes media types that the client accepts, as its header `Accept` names them
   * @throws Problem `invalid_request` naming the first parameter that is unknown or malformed
   */
  policyFrom(query: unknown, acceptedTypes: readonly string[] = []): RequestedPolicy {
    const parsed = this.schema.safeParse(query);
    if (!parsed.success) throw problemOf(parsed.error.issues[0], Object.keys(this.schema.shape));
    const { quality, format, max_dimension, metadata, effort, png_mode, png_depth, max_bytes, allow } =
      parsed.data;
    const { formats: usual, ...deployment } = this.settings.policy;
    const asked = format ?? (this.settings.negotiatesFormat ? 'auto' : usual);
    const accepted = asked === 'auto' ? negotiated(acceptedTypes) : asked;
    if (allow !== undefined && max_bytes === undefined) throw allowWithoutBudget();
    const policy: CompressionPolicy = {
      ...deployment,
      ...(accepted ? { formats: accepted } : {}),
      ...(quality === undefined ? {} : { targetScore: quality }),
      ...(max_dimension === undefined
        ? {}
        : { maxDimensionPx: max_dimension, usualMaxDimensionPx: deployment.maxDimensionPx }),
      ...(metadata === undefined ? {} : { keepMetadata: metadata }),
      ...(effort === undefined ? {} : { effort }),
      ...(png_mode === undefined ? {} : { pngMode: png_mode }),
      ...(png_depth === undefined ? {} : { pngDepth: png_depth }),
      ...(max_bytes === undefined ? {} : { budget: { maxBytes: max_bytes, allowsAny: allow === 'any' } }),
    };
    return { policy, isNegotiated: asked === 'auto' };
  }
}

/** The policy of one request. */
interface RequestedPolicy {
  readonly policy: CompressionPolicy;
  /** Whether it depends on the header `Accept`. */
  readonly isNegotiated: boolean;
}

/** The format of the upload, and those that the client names; a wildcard names none. */
function negotiated(acceptedTypes: readonly string[]): NonNullable<CompressionPolicy['formats']> {
  const named = acceptedTypes.map(formatOfMediaType).filter((format) => format !== undefined);
  return ['same', ...new Set(named)];
}

function problemOf(issue: z.core.$ZodIssue, known: readonly string[]): Problem {
  if (issue.code === 'unrecognized_keys') return unknownOption(issue.keys[0], known);
  const isRepeated = issue.code === 'invalid_type' && issue.expected === 'string';
  return invalidOption(String(issue.path[0]), isRepeated ? 'must be given once' : issue.message);
}

/** The same for the OpenAPI document. */
export function optionParameters(policy: DeploymentPolicy): ParameterObject[] {
  const defaults = defaultsOf(policy);
  return Object.entries(optionsUnder(policy).shape).map(([name, option]) => {
    const { description, example } = option.meta() ?? {};
    const { type, enum: values, minimum, maximum, pattern } = z.toJSONSchema(option, { io: 'input' });
    const schema = JSON.parse(
      JSON.stringify({ type, enum: values, minimum, maximum, pattern, default: defaults[name] }),
    ) as SchemaObject;
    // `x-disabled`: the page at /docs sends the option only when the reader turns it on.
    const examples = { default: { value: example, 'x-disabled': true } };
    return { name, in: 'query', description: description ?? '', schema, examples };
  });
}

/** What holds for a request without options. */
function defaultsOf(policy: DeploymentPolicy): Readonly<Record<string, string | number>> {
  const named = Object.entries(QUALITY_TARGETS).find(([, score]) => score === policy.targetScore);
  return {
    quality: named?.[0] ?? String(policy.targetScore),
    max_dimension: policy.maxDimensionPx,
    metadata: policy.keepMetadata,
    effort: policy.effort,
    png_mode: policy.pngMode,
    png_depth: policy.pngDepth,
    format: policy.formats?.join(',') ?? 'same',
  };
}
