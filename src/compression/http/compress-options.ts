/** The options of one compression, as query parameters: one schema reads them and documents them. */
import type { ParameterObject, SchemaObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import { invalidOption, unknownOption, type OptionName } from '../../contract/option-problems';
import type { Problem } from '../../contract/problem';
import { BYTES_PATTERN, bytesFrom } from '../../contract/units';
import { qualityTarget } from '../compression.settings';
import {
  EFFORTS,
  KEPT_METADATA,
  LEAST_DIMENSION_PX,
  type CompressionPolicy,
} from '../domain/compression-policy';

const oneOf = <const Names extends readonly string[]>(names: Names) =>
  z.enum(names, { error: `must be one of ${names.join(', ')}` });

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
    context.addIssue('must be a size of 1 byte or more');
    return z.NEVER;
  });

/** @param policy of the deployment, whose values hold where the client asks for nothing else */
function optionsUnder(policy: CompressionPolicy) {
  return z.strictObject({
    quality: qualityTarget.optional().meta({
      description:
        'What the result has to look like: `low`, `medium`, `high`, `very-high`, or a score from 0.9 to 0.9999.',
      example: 'medium',
    }),
    max_dimension: pixels(policy.maxDimensionPx).optional().meta({
      description: 'The longer side of the result in pixels, at most. A larger image is scaled down.',
      example: 1920,
    }),
    metadata: oneOf(KEPT_METADATA).optional().meta({
      description:
        'What a rewritten file keeps of its metadata: `none`; `copyright`, who made and owns it; `all`, everything that is still true of it.',
      example: 'copyright',
    }),
    effort: oneOf(EFFORTS).optional().meta({
      description: 'Time against bytes, at the same quality.',
      example: 'max',
    }),
    max_bytes: bytes.optional().meta({
      description:
        'The largest size of the result: `200000`, `200kB`, `1.5MB`. Where the usual result is larger, its quality is lowered, but not below `low`; if that is not enough, it is scaled down. `X-Budget` says whether it fits; 422 `budget_unreachable` when nothing does.',
      example: '200kB',
    }),
    allow: oneOf(['any']).optional().meta({
      description:
        'With `max_bytes`: `any` accepts a quality below `low`, and the smallest result where none fits.',
      example: 'any',
    }),
  } satisfies Record<OptionName, z.ZodType>);
}

/** Reads the options of requests to a deployment. The schema is built once, because that takes 1 ms. */
export class OptionsReader {
  private readonly schema: ReturnType<typeof optionsUnder>;

  constructor(private readonly policy: CompressionPolicy) {
    this.schema = optionsUnder(policy);
  }

  /**
   * Returns the policy for one request: that of the deployment with what the query asks for.
   * @throws Problem `invalid_request` naming the first parameter that is unknown or malformed
   */
  policyFrom(query: unknown): CompressionPolicy {
    const parsed = this.schema.safeParse(query);
    if (!parsed.success) throw problemOf(parsed.error.issues[0], Object.keys(this.schema.shape));
    const { quality, max_dimension, metadata, effort, max_bytes, allow } = parsed.data;
    return {
      ...this.policy,
      ...(quality === undefined ? {} : { targetScore: quality }),
      ...(max_dimension === undefined ? {} : { maxDimensionPx: max_dimension }),
      ...(metadata === undefined ? {} : { keepMetadata: metadata }),
      ...(effort === undefined ? {} : { effort }),
      ...(max_bytes === undefined ? {} : { budget: { maxBytes: max_bytes, allowsAny: allow === 'any' } }),
    };
  }
}

function problemOf(issue: z.core.$ZodIssue, known: readonly string[]): Problem {
  if (issue.code === 'unrecognized_keys') return unknownOption(issue.keys[0], known);
  const isRepeated = issue.code === 'invalid_type' && issue.expected === 'string';
  return invalidOption(String(issue.path[0]), isRepeated ? 'must be given once' : issue.message);
}

/** The same for the OpenAPI document. */
export function optionParameters(policy: CompressionPolicy): ParameterObject[] {
  return Object.entries(optionsUnder(policy).shape).map(([name, option]) => {
    const { description, example } = option.meta() ?? {};
    const { type, enum: values, minimum, maximum, pattern } = z.toJSONSchema(option, { io: 'input' });
    const schema = JSON.parse(
      JSON.stringify({ type, enum: values, minimum, maximum, pattern }),
    ) as SchemaObject;
    // `x-disabled`: the page at /docs sends the option only when the reader turns it on.
    const examples = { default: { value: example, 'x-disabled': true } };
    return { name, in: 'query', description: description ?? '', schema, examples };
  });
}
