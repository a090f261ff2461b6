/** What the operations of the OpenAPI document have in common. */
import type { OperationObject, ParameterObject } from 'openapi3-ts/oas31';
import type { Problem } from './problem';
import { problemResponses } from './problem-responses';
import { codeSamples } from './samples/code-samples';
import type { SampledOperation } from './samples/sampled-operation';
import { internalError, problemsOfAnyRequest } from './service-problems';

export interface DocumentedOperation extends OperationObject {
  readonly sample: SampledOperation;
  /** Besides those of any request. */
  readonly problems?: readonly Problem[];
  /** Besides the id of the request. */
  readonly parameters?: ParameterObject[];
}

/** Returns an operation with its code samples, security, and the responses for its problems. */
export function documentedOperation({
  sample,
  problems = [],
  parameters = [],
  responses,
  ...described
}: DocumentedOperation): OperationObject {
  const refusals = problemResponses([...problemsOfAnyRequest(), ...problems, internalError()]);
  return {
    ...described,
    security: sample.needsKey ? [{ bearer: [] }, { apiKey: [] }] : [],
    parameters: [{ $ref: '#/components/parameters/RequestId' }, ...parameters],
    'x-codeSamples': codeSamples(sample),
    responses: { ...responses, ...refusals },
  };
}
