/** What the operations of the OpenAPI document have in common. */
import type { OperationObject, ParameterObject } from 'openapi3-ts/oas31';
import type { HeaderName } from './header-table';
import type { Problem } from './problem';
import { problemResponses } from './problem-responses';
import { curl, javascript, type SampledOperation } from './samples';
import { internalError, problemsOfAnyRequest } from './service-problems';

export interface DocumentedOperation extends OperationObject {
  readonly sample: SampledOperation;
  /** Besides those of any request. */
  readonly problems?: readonly Problem[];
  /** Headers that only some responses for problems have. */
  readonly problemHeaders?: readonly HeaderName[];
  /** Besides the id of the request. */
  readonly parameters?: ParameterObject[];
}

/** Returns an operation with its code samples, security, and the responses for its problems. */
export function documentedOperation({
  sample,
  problems = [],
  problemHeaders = [],
  parameters = [],
  responses,
  ...described
}: DocumentedOperation): OperationObject {
  const all = [...problemsOfAnyRequest(), ...problems, internalError()];
  return {
    ...described,
    security: sample.needsKey ? [{ bearer: [] }, { apiKey: [] }] : [],
    parameters: [{ $ref: '#/components/parameters/RequestId' }, ...parameters],
    'x-codeSamples': [
      { lang: 'Shell', label: 'curl', source: curl(sample) },
      { lang: 'JavaScript', label: 'JavaScript (fetch)', source: javascript(sample) },
    ],
    responses: { ...responses, ...problemResponses(all, problemHeaders) },
  };
}
