import type {
  OperationObject,
  ParameterObject,
  PathItemObject,
  PathsObject,
  RequestBodyObject,
  ResponseObject,
  ResponsesObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { headers, type HeaderName } from './headers';
import { REFUSAL_REASONS } from './image-problems';
import { PROBLEM_CODES, findTitle, type Problem } from './problem';
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

export const jsonResponse = (description: string, schema: string): ResponseObject => ({
  description,
  headers: headers([]),
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});

const EXAMPLE_ID = '0b9f5f7a-31c5-4b8e-9d55-0f4f6f0c2d11';

const BY_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow', 'Link'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** @param problems one example of each code */
export function problemResponses(
  problems: readonly Problem[],
  sometimes: readonly HeaderName[] = [],
): ResponsesObject {
  const responses: ResponsesObject = {};
  for (const status of new Set(problems.map((problem) => problem.status))) {
    const byCode = new Map(problems.filter((problem) => problem.status === status).map((p) => [p.code, p]));
    const ofStatus = [...byCode.values()];
    responses[status] = {
      description: ofStatus.map(({ code }) => `\`${code}\`: ${findTitle(code)}.`).join(' '),
      headers: headers(BY_STATUS[status] ?? [], sometimes),
      content: {
        'application/problem+json': {
          schema: {
            allOf: [
              { $ref: '#/components/schemas/Problem' },
              {
                type: 'object',
                properties: { code: { type: 'string', enum: ofStatus.map(({ code }) => code) } },
              },
            ],
          },
          examples: Object.fromEntries(
            ofStatus.map((problem) => [
              problem.code,
              { summary: findTitle(problem.code), value: problem.toBody(EXAMPLE_ID) },
            ]),
          ),
        },
      },
    };
  }
  return responses;
}

export function problemSchema(): SchemaObject {
  return {
    type: 'object',
    description: 'An error as defined by RFC 9457. Codes are stable; titles and details may change.',
    required: ['type', 'title', 'status', 'detail', 'instance', 'code', 'request_id'],
    properties: {
      type: { type: 'string', format: 'uri', description: 'The type of problem, as a URN.' },
      title: { type: 'string', description: 'The type of problem, in words.' },
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: { type: 'string', description: 'What is wrong with this request, and what to do.' },
      instance: { type: 'string', format: 'uri', description: 'This request, as a URN.' },
      code: {
        type: 'string',
        description: 'Identifies the type of problem; use it in programs.',
        enum: [...PROBLEM_CODES],
      },
      request_id: { type: 'string', description: 'Equal to the header `X-Request-Id`.' },
      reason: {
        type: 'string',
        description: 'Why the image is refused, for programs: some codes have several reasons.',
        enum: REFUSAL_REASONS,
      },
      limit: { type: 'integer', description: 'The limit that was exceeded.' },
      actual: { type: 'integer', description: 'The value that exceeded the limit, if known.' },
      retry_after: {
        type: 'integer',
        minimum: 1,
        description: 'Seconds to wait before you retry; equal to `Retry-After`.',
      },
    },
  };
}
