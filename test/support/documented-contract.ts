/** Checks responses against the service's own OpenAPI document. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import * as addFormats from 'ajv-formats';
import type {
  HeaderObject,
  OpenAPIObject,
  OperationObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';

export interface Answer {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** Headers of the connection, which are not part of the contract. */
const TRANSPORT = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

export class DocumentedContract {
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true });
  private readonly validators = new Map<string, ValidateFunction>();
  private readonly operations: {
    method: string;
    path: RegExp;
    pointer: string;
    operation: OperationObject;
  }[];

  constructor(private readonly document: OpenAPIObject) {
    addFormats.default(this.ajv);
    this.ajv.addSchema(withClosedSchemas(document), 'contract');
    this.operations = Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
      Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => ({
        method: method.toUpperCase(),
        // Express ignores case and a trailing slash.
        path: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
        pointer: `/paths/${escaped(path)}/${method}/responses`,
        operation,
      })),
    );
  }

  /** Names of all documented responses: operation, status, and code or media type. */
  documented() {
    return this.operations.flatMap(({ operation }) =>
      Object.entries(operation.responses ?? {}).flatMap(([status, response]) =>
        kinds(response as ResponseObject).map((kind) => `${operation.operationId} ${status} ${kind}`),
      ),
    );
  }

  nameOf(answer: Answer) {
    const operationId = this.operationFor(answer)?.operation.operationId ?? 'no operation';
    return `${operationId} ${answer.status} ${codeOf(answer) ?? (mediaType(answer) || 'empty')}`;
  }

  faultsOf(answer: Answer) {
    const found = this.operationFor(answer);
    const responses = (found?.operation.responses ?? this.document['x-other-responses']) as Record<
      string,
      ResponseObject | undefined
    >;
    const response = responses[answer.status];
    const where = found ? found.operation.operationId : 'x-other-responses, for it belongs to no operation,';
    if (!response)
      return [`${where} has no status ${answer.status}; it has ${Object.keys(responses).join(', ')}`];
    const pointer = `${found?.pointer ?? '/x-other-responses'}/${answer.status}`;
    return [...this.headerFaults(answer, response), ...this.bodyFaults(answer, response, pointer)].map(
      (fault) => `${where} ${answer.status}: ${fault}`,
    );
  }

  private operationFor({ method, path }: Answer) {
    const documented = method === 'HEAD' ? 'GET' : method;
    return this.operations.find((one) => one.method === documented && one.path.test(path));
  }

  private headerFaults(answer: Answer, { headers = {} }: ResponseObject) {
    const known = new Map(
      Object.entries(headers).map(([name, header]) => [name.toLowerCase(), header as HeaderObject]),
    );
    const undocumented = Object.keys(answer.headers)
      .filter((name) => !TRANSPORT.has(name) && !known.has(name))
      .map((name) => `the header ${name} is not documented`);
    const others = [...known].flatMap(([name, { required, schema }]) => {
      const value = answer.headers[name];
      if (value === undefined) return required ? [`the header ${name} is missing`] : [];
      const { type } = schema as SchemaObject;
      const isValid = this.ajv.validate(schema ?? {}, type === 'integer' ? Number(value) : value);
      return isValid ? [] : [`${name}: ${value} is not what its schema says`];
    });
    return [...undocumented, ...others];
  }

  private bodyFaults(answer: Answer, { content }: ResponseObject, pointer: string) {
    const type = mediaType(answer);
    if (answer.method === 'HEAD') return [];
    if (!content) return answer.body.length > 0 ? ['there is a body, and none is documented'] : [];
    if (!(type in content)) return [`the media type ${type} is not documented`];
    if (type.startsWith('image/')) return isImage(type, answer.body) ? [] : [`the body is no ${type}`];
    if (!type.endsWith('json')) return answer.body.length > 0 ? [] : ['the body is empty'];
    const validate = this.validatorAt(`${pointer}/content/${escaped(type)}/schema`);
    return validate(JSON.parse(answer.body.toString()))
      ? []
      : (validate.errors ?? []).map((e) => `body${e.instancePath} ${e.message} ${JSON.stringify(e.params)}`);
  }

  private validatorAt(pointer: string) {
    const validate = this.validators.get(pointer) ?? this.ajv.compile({ $ref: `contract#${pointer}` });
    this.validators.set(pointer, validate);
    return validate;
  }
}

/** For clients the schemas are open, so that members can be added; here every member must be documented. */
function withClosedSchemas(document: OpenAPIObject) {
  const copy = structuredClone(document);
  const close = (schema: SchemaObject) => {
    if (schema.properties && schema.additionalProperties === undefined) schema.additionalProperties = false;
    for (const inner of Object.values(schema.properties ?? {})) close(inner as SchemaObject);
    if (schema.items) close(schema.items as SchemaObject);
  };
  for (const schema of Object.values(copy.components?.schemas ?? {})) close(schema as SchemaObject);
  return copy;
}

function kinds({ content = {} }: ResponseObject) {
  const all = Object.entries(content).flatMap(([type, { examples }]) =>
    type === 'application/problem+json' ? Object.keys(examples ?? {}) : [type],
  );
  return all.length > 0 ? all : ['empty'];
}

function codeOf(answer: Answer) {
  if (mediaType(answer) !== 'application/problem+json') return undefined;
  return (JSON.parse(answer.body.toString()) as { code: string }).code;
}

function mediaType({ headers }: Answer) {
  return (headers['content-type'] ?? '').split(';')[0];
}

/** First bytes of each media type, and where they stand. */
const SIGNATURES: Readonly<Record<string, readonly [number, string]>> = {
  'image/jpeg': [0, '\xff\xd8\xff'],
  'image/png': [0, '\x89PNG\r\n\x1a\n'],
  'image/webp': [8, 'WEBP'],
  'image/avif': [4, 'ftypavif'],
  'image/heic': [4, 'ftypheic'],
  'image/qoi': [0, 'qoif'],
  // The report of test/support/probing-codec.cjs, as JSON.
  'image/x-probe': [0, '{"attempts"'],
  // A codestream without the container.
  'image/jxl': [0, '\xff\x0a'],
  'image/x-toy': [0, 'TOY!'],
  'image/x-xwbp': [0, 'XWBP'],
};

/** JPEG XL with metadata, or with 16 bits and no loss. */
const JXL_CONTAINER = [4, 'JXL '] as const;

function isImage(type: string, body: Uint8Array) {
  const isContainer = type === 'image/jxl' && body[0] === 0;
  const [at, signature] = isContainer ? JXL_CONTAINER : (SIGNATURES[type] ?? [0, 'unknown']);
  return Buffer.from(body).toString('latin1', at, at + signature.length) === signature;
}

/** As a part of a JSON pointer in a URI fragment. */
function escaped(part: string) {
  return encodeURIComponent(part.replace(/~/g, '~0').replace(/\//g, '~1'));
}
