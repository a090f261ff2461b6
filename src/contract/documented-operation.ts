/**
 * What all operations of the OpenAPI document have in common: code samples, security, and the responses for
 * problems, with an example of each. Capabilities describe their own operations with it.
 */
import type * as api from 'openapi3-ts/oas31';
import { z } from 'zod';
import { headers, type HeaderName } from './headers';
import { UPLOAD_REASONS } from './image-problems';
import { HTTP_CODES, findTitle, type Problem } from './problem';
import { codeSamples } from './samples';
import { foreignName, internalError, problemsOfAnyRequest } from './service-problems';

interface DocumentedOperation extends api.OperationObject {
  /** Besides those of its group and of any request. */
  readonly problems?: readonly Problem[];
  /** Besides the id of the request. */
  readonly parameters?: api.ParameterObject[];
  readonly body?: api.ContentObject;
  /** Otherwise they follow from method, path and JSON body. */
  readonly samples?: Readonly<Record<'curl' | 'javascript', string>>;
}

/** What operations share. */
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
): api.PathsObject {
  const paths: Record<string, api.PathItemObject> = {};
  for (const [name, operation] of Object.entries(operations)) {
    const { problems = [], samples, responses, parameters = [], body, ...described } = operation;
    const [method, path] = name.split(' ');
    const ofName = path.startsWith('/health/') ? [] : [foreignName()];
    const all = [...problemsOfAnyRequest(), ...ofName, ...ofGroup, ...problems, internalError()];
    const json = body?.['application/json']?.example as object | undefined;
    const { curl, javascript } = samples ?? codeSamples(method, path, needsKey, json);
    const documented = {
      ...described,
      ...(body && { requestBody: { required: true, content: body } }),
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

/** @param schema the name of a component */
export const jsonResponse = (description: string, schema: string): api.ResponseObject => ({
  description,
  headers: headers([]),
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
});

const EXAMPLE_ID = '0b9f5f7a-31c5-4b8e-9d55-0f4f6f0c2d11';

/** Headers that every problem of a status has. */
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
): api.ResponsesObject {
  const examples = [...new Map(problems.map((problem) => [problem.code, problem])).values()];
  const responses: api.ResponsesObject = {};
  for (const status of new Set(examples.map((problem) => problem.status))) {
    const rows = examples.flatMap((problem) => {
      const example = { summary: findTitle(problem.code), value: problem.toBody(EXAMPLE_ID) };
      return problem.status === status ? [[problem.code, example] as const] : [];
    });
    const code = { type: 'string', enum: rows.map(([name]) => name) } as const;
    const ofStatus = { type: 'object', properties: { code } } as const;
    const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, ofStatus] };
    responses[status] = {
      description: rows.map(([name, { summary }]) => `\`${name}\`: ${summary}.`).join(' '),
      headers: headers(BY_STATUS[status] ?? [], sometimes),
      content: { 'application/problem+json': { schema, examples: Object.fromEntries(rows) } },
    };
  }
  return responses;
}

const text = (description: string) => z.string().describe(description);
const count = (description: string, least = 0) => z.int().min(least).describe(description);

/** The JSON of a problem. Members beyond RFC 9457 are this service's own. */
export const PROBLEM = z
  .object({
    type: z.url().describe('The type of problem, as a URN.'),
    title: text('The type of problem, in words.'),
    status: z.int().min(400).max(599),
    detail: text('What is wrong with this request, and what to do.'),
    instance: z.url().describe('This request, as a URN.'),
    code: z.enum(HTTP_CODES).describe('Identifies the type of problem; use it in programs.'),
    request_id: text('Equal to the header `X-Request-Id`.'),
    reason: z
      .enum(UPLOAD_REASONS)
      .describe('Why the image is refused, for programs: some codes have several reasons.')
      .optional(),
    limit: count('The limit that was exceeded.').optional(),
    actual: count('The value that exceeded the limit, if known.').optional(),
    retry_after: count('Seconds to wait before you retry; equal to `Retry-After`.', 1).optional(),
  })
  .describe('An error as defined by RFC 9457. Codes are stable; titles and details may change.');

/** Returns the JSON schemas by name; one that contains another refers to it. */
export function toJsonSchemas(bodies: Readonly<Record<string, z.ZodType>>) {
  const registry = z.registry<{ id: string }>();
  for (const [id, body] of Object.entries(bodies)) registry.add(body, { id });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // The largest safe integer means no limit; the names of a record are always text.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      delete jsonSchema.propertyNames;
    },
  });
  for (const schema of Object.values(schemas)) {
    delete schema.$schema;
    delete schema.$id;
  }
  return schemas as Readonly<Record<string, api.SchemaObject>>;
}
