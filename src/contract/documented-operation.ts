import type {
  OperationObject,
  ParameterObject,
  PathItemObject,
  PathsObject,
  RequestBodyObject,
} from 'openapi3-ts/oas31';
import type { HeaderName } from './header-table';
import type { Problem } from './problem';
import { problemResponses } from './problem-responses';
import { codeSamples } from './samples';
import { internalError, problemsOfAnyRequest } from './service-problems';

interface DocumentedOperation extends OperationObject {
  /** Besides those of its group and of any request. */
  readonly problems?: readonly Problem[];
  /** Besides the id of the request. */
  readonly parameters?: ParameterObject[];
  readonly requestBody?: RequestBodyObject;
  /** Otherwise they follow from method, path and JSON body. */
  readonly samples?: Readonly<Record<'curl' | 'javascript', string>>;
}

interface OperationGroup {
  readonly tags: string[];
  readonly needsKey?: boolean;
  readonly problems?: readonly Problem[];
  /** Headers that only some responses for problems have. */
  readonly problemHeaders?: readonly HeaderName[];
}

/**
 * Adds code samples, security, and the responses for the problems.
 * @param operations by method and path, such as `GET /docs`
 */
export function documentedPaths(
  { tags, needsKey = false, problems: ofGroup = [], problemHeaders = [] }: OperationGroup,
  operations: Readonly<Record<string, DocumentedOperation>>,
): PathsObject {
  const paths: Record<string, PathItemObject> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const { problems = [], samples, responses, parameters = [], ...described } = operation;
    const all = [...problemsOfAnyRequest(), ...ofGroup, ...problems, internalError()];
    const [method, path] = name.split(' ');
    const json = described.requestBody?.content['application/json']?.example as object | undefined;
    const { curl, javascript } = samples ?? codeSamples(method, path, needsKey, json);
    const documented = {
      ...described,
      tags,
      security: needsKey ? [{ bearer: [] }, { apiKey: [] }] : [],
      parameters: [{ $ref: '#/components/parameters/RequestId' }, ...parameters],
      'x-codeSamples': [
        { lang: 'Shell', label: 'curl', source: curl },
        { lang: 'JavaScript', label: 'JavaScript (fetch)', source: javascript },
      ],
      responses: { ...responses, ...problemResponses(all, problemHeaders) },
    };
    paths[path] = { ...paths[path], [method.toLowerCase()]: documented };
  }
  return paths;
}
