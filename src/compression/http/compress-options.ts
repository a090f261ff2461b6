/** The options of one compression as query parameters: a guard that reads them before the body, and their documentation. */
import type { ParameterObject, SchemaObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import { allowWithoutBudget, invalidOption, unknownOption } from '../../contract/option-problems';
import type { Problem } from '../../contract/problem';
import { type CompressionSettings, COMPRESSION_SETTINGS } from '../compression.settings';
import type { CompressionPolicy } from '../domain/compression-policy';
import { byteLimitOf, conflictWithLossless } from '../options/chosen';
import type { Asked, Deployment, Option } from '../options/option';
import { OPTIONS } from '../options/option-table';
import {
  Inject,
  Injectable,
  createParamDecorator,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request, Response } from 'express';

const PARAMETERS = Object.values<Option>(OPTIONS).flatMap((row) =>
  row.parameter === undefined ? [] : [row],
);

export function isParameter(name: string | undefined): boolean {
  return PARAMETERS.some(({ parameter }) => parameter === name);
}

function schemaUnder(deployment: Deployment) {
  return z.strictObject(
    Object.fromEntries(
      PARAMETERS.map(({ parameter, schema, under }) => [
        parameter,
        (under?.(deployment) ?? schema).optional(),
      ]),
    ),
  );
}

/** Reads the options of requests to a deployment. The schema is built once, because that takes 1 ms. */
export class OptionsReader {
  private readonly schema: ReturnType<typeof schemaUnder>;

  constructor(private readonly settings: Deployment & Pick<CompressionSettings, 'negotiatesFormat'>) {
    this.schema = schemaUnder(settings);
  }

  /**
   * Returns the policy for one request, made of the deployment's and the options of the query, and whether it depends on the header
   * `Accept`.
   * @param acceptedTypes media types that the client accepts, as its header `Accept` names them
   * @throws Problem `invalid_request` naming the first parameter that is unknown or malformed
   */
  policyFrom(query: unknown, acceptedTypes: readonly string[] = []) {
    const parsed = this.schema.safeParse(query);
    if (!parsed.success) {
      throw problemOf(parsed.error.issues[0], Object.keys(this.schema.shape));
    }
    const chosen = Object.values(parsed.data).reduce<Asked>((all, part) => ({ ...all, ...part }), {});
    const { formats: named, maxBytes, allow, ...asked } = chosen;
    const { policy: usual, negotiatesFormat, resultFormats } = this.settings;
    const formats = named ?? (negotiatesFormat ? 'auto' : usual.formats);
    const accepted: CompressionPolicy['formats'] =
      // The format of the upload, and those that the client names; a wildcard names none.
      formats === 'auto' ? ['same', ...resultFormats.ofMediaTypes(acceptedTypes)] : formats;
    if (allow !== undefined && maxBytes === undefined) throw allowWithoutBudget();
    const policy: CompressionPolicy = {
      ...usual,
      ...(accepted ? { formats: accepted } : {}),
      ...asked,
      ...(maxBytes === undefined ? {} : { byteLimit: byteLimitOf(maxBytes, allow) }),
    };
    const conflict = conflictWithLossless(policy);
    if (conflict) throw invalidOption(OPTIONS[conflict.option].parameter, conflict.rule);
    return { policy, isNegotiated: formats === 'auto' };
  }
}

function problemOf(issue: z.core.$ZodIssue, known: readonly string[]): Problem {
  if (issue.code === 'unrecognized_keys') return unknownOption(issue.keys[0], known);
  const isRepeated = issue.code === 'invalid_type' && issue.expected === 'string';
  return invalidOption(String(issue.path[0]), isRepeated ? 'must be given once' : issue.message);
}

/** The same for the OpenAPI document. */
export function optionParameters(deployment: Deployment): ParameterObject[] {
  return PARAMETERS.map(({ parameter: name, description, example, inForce, ...row }) => {
    const option = z.toJSONSchema(row.under?.(deployment) ?? row.schema, { io: 'input' });
    const { type, enum: values, minimum, maximum, pattern = row.pattern } = option;
    const schema = JSON.parse(
      JSON.stringify({
        type,
        enum: values,
        minimum,
        maximum,
        pattern,
        default: inForce?.(deployment.policy),
      }),
    ) as SchemaObject;
    // `x-disabled`: the page at /docs sends the option only when the reader turns it on.
    const examples = { default: { value: example, 'x-disabled': true } };
    return { name, in: 'query', description, schema, examples };
  });
}

type OptionsRequest = Request & { policy?: CompressionPolicy };

/** Reads the options of the request before its body. */
@Injectable()
export class RequestedPolicyGuard implements CanActivate {
  private readonly options: OptionsReader;

  constructor(@Inject(COMPRESSION_SETTINGS) settings: CompressionSettings) {
    this.options = new OptionsReader(settings);
  }

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    const req = http.getRequest<OptionsRequest>();
    // Types with q=0 are left out.
    const { policy, isNegotiated } = this.options.policyFrom(req.query, req.accepts());
    if (isNegotiated) http.getResponse<Response>().vary('Accept');
    req.policy = policy;
    return true;
  }
}

/** The policy of the deployment with the options of this request. */
export const RequestedPolicy = createParamDecorator(
  (_: unknown, context: ExecutionContext): CompressionPolicy => {
    const { policy } = context.switchToHttp().getRequest<OptionsRequest>();
    if (!policy) throw new Error('RequestedPolicy needs the RequestedPolicyGuard on the same route');
    return policy;
  },
);
