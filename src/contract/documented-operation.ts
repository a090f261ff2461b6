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
  readonly problemHeaders?: readonly HeaderName[];
  /** Besides the id of the request. */
  readonly parameters?: ParameterObject[];
}

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
