/** Options of requests: those of the query are refused before the body, fields of the form are added after it. */
import type { ParameterObject, SchemaObject } from 'openapi3-ts/oas31';
import { z } from 'zod';
import { allowWithoutBudget, invalidOption, unknownOption } from '../../contract/option-problems';
import { CompressionSettings } from '../compression.settings';
import type { CompressionPolicy } from '../domain/compression-policy';
import { conflictWithLossless, limitedBytes } from '../options/chosen';
import type { Asked, Deployment, Option } from '../options/option';
import { OPTIONS } from '../options/option-table';
import { exchangeOf } from '../../http/requests';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';

declare module '../../http/requests' {
  interface RequestContext {
    /** What the options so far ask for, by parameter: those of the query, then those of the form. */
    options?: Options;
  }
}

type Options = Readonly<Record<string, Asked | undefined>>;

const PARAMETERS = Object.values<Option>(OPTIONS).flatMap((row) =>
  row.parameter === undefined ? [] : [row],
);

export const PARAMETER_NAMES: readonly (string | undefined)[] = PARAMETERS.map(({ parameter }) => parameter);

/** Reads the options of requests to a deployment. The schema is built once, because that takes 1 ms. */
@Injectable()
export class OptionsReader {
  private readonly schema = z.strictObject(
    Object.fromEntries(
      PARAMETERS.map(({ parameter, schema, forDeployment }) => [
        parameter,
        (forDeployment?.(this.settings) ?? schema).optional(),
      ]),
    ),
  );

  constructor(
    @Inject(CompressionSettings)
    private readonly settings: Deployment & Pick<CompressionSettings, 'negotiatesFormat'>,
  ) {}

  /** @throws Problem `invalid_request` naming the first parameter that is unknown or malformed */
  policyFrom(parameters: unknown, acceptedTypes: readonly string[] = [], before: Options = {}) {
    const parsed = this.schema.safeParse(parameters);
    if (!parsed.success) {
      throw toProblem(parsed.error.issues[0], Object.keys(this.schema.shape));
    }
    const options: Options = { ...before, ...parsed.data };
    const chosen = Object.values(options).reduce<Asked>((all, part) => ({ ...all, ...part }), {});
    const { formats: named, maxBytes, allow, ...asked } = chosen;
    const { policy: defaults, negotiatesFormat, knownFormats } = this.settings;
    const formats = named ?? (negotiatesFormat ? 'auto' : defaults.formats);
    const accepted: CompressionPolicy['formats'] =
      // The format of the upload, and those that the client names; a wildcard names none.
      formats === 'auto' ? ['same', ...knownFormats.ofMediaTypes(acceptedTypes)] : formats;
    if (allow !== undefined && maxBytes === undefined) throw allowWithoutBudget();
    const policy: CompressionPolicy = {
      ...defaults,
      ...(accepted && { formats: accepted }),
      ...asked,
      ...limitedBytes({ maxBytes, allow }),
    };
    const conflict = conflictWithLossless(policy);
    if (conflict) throw invalidOption(OPTIONS[conflict.option].parameter, conflict.rule);
    return { options, policy, isNegotiated: formats === 'auto' };
  }

  /**
   * Adds options to those of the request, and returns the policy of all.
   * @throws Problem `invalid_request` as policyFrom does, and for an option that the request has already
   */
  add(parameters: object, req: Request, res: Response): CompressionPolicy {
    const { options: before = {} } = req.context;
    const repeated = Object.keys(parameters).find((name) => Object.hasOwn(before, name));
    if (repeated !== undefined) throw invalidOption(repeated, 'must be given once');
    // Types with q=0 are left out.
    const { options, policy, isNegotiated } = this.policyFrom(parameters, req.accepts(), before);
    req.context.options = options;
    if (isNegotiated) res.vary('Accept');
    return policy;
  }
}

function toProblem(issue: z.core.$ZodIssue, known: readonly string[]) {
  if (issue.code === 'unrecognized_keys') return unknownOption(issue.keys[0], known);
  const isRepeated = issue.code === 'invalid_type' && issue.expected === 'string';
  return invalidOption(String(issue.path[0]), isRepeated ? 'must be given once' : issue.message);
}

export function optionParameters(deployment: Deployment): ParameterObject[] {
  return PARAMETERS.map(({ parameter: name, description, example, effectiveDefault, ...row }) => {
    const option = z.toJSONSchema(row.forDeployment?.(deployment) ?? row.schema, { io: 'input' });
    const { type, enum: values, minimum, maximum, pattern = row.pattern } = option;
    // Members that are undefined are left out of the JSON.
    const schema = {
      type,
      enum: values,
      minimum,
      maximum,
      pattern: type === 'string' ? pattern : undefined,
      default: effectiveDefault?.(deployment.policy),
    };
    // `x-disabled`: the page at /docs sends the option only when the reader turns it on.
    const examples = { default: { value: example, 'x-disabled': true } };
    return { name, in: 'query', description, schema: schema as SchemaObject, examples };
  });
}

/** Reads the options of the query before the body arrives. */
@Injectable()
export class RequestedPolicyGuard implements CanActivate {
  constructor(private readonly options: OptionsReader) {}

  canActivate(context: ExecutionContext): boolean {
    const { req, res } = exchangeOf(context);
    this.options.add(req.query, req, res);
    return true;
  }
}
