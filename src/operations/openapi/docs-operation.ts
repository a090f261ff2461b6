/** One operation of the OpenAPI document as a section of /docs. */
import type {
  ContentObject,
  HeadersObject,
  OpenAPIObject,
  OperationObject,
  ParameterObject,
  ReferenceObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas31';
import { html, inline, prose, table, type Html } from './html';

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly operation: OperationObject;
}

export function section(document: OpenAPIObject, { method, path, operation }: Operation): Html {
  const needsKey = (operation.security ?? []).length > 0;
  const samples = (operation['x-codeSamples'] ?? []) as { source: string }[];
  return html`<section aria-labelledby="${operation.operationId ?? ''}">
    <h3 id="${operation.operationId ?? ''}">${operation.summary ?? ''}</h3>
    <p>
      <span class="verb">${method}</span>
      <code>${path}</code>${needsKey ? html` <span class="dim">with an API key</span>` : ''}
    </p>
    ${prose(operation.description ?? '')}
    ${samples.map(({ source }) => html`<pre tabindex="0" role="group" aria-label="Example: ${operation.summary ?? ''}"><code>${source}</code></pre>`)}
    ${table(
      `Request: ${operation.summary ?? ''}`,
      (operation.parameters ?? []).map((parameter) => {
        const { name, in: place, description = '' } = resolved(document, parameter);
        return [html`<code>${name}</code> <span class="dim">${place}</span>`, html`${inline(description)}`];
      }),
    )}
    ${body(operation)}
    ${Object.entries(operation.responses ?? {}).map(([status, response]) => answer(document, status, response as ResponseObject))}
  </section>`;
}

function body({ requestBody }: OperationObject): Html {
  if (!requestBody || '$ref' in requestBody) return html``;
  const [[type, media] = ['', {}]] = Object.entries(requestBody.content);
  const properties = media.schema && 'properties' in media.schema ? (media.schema.properties ?? {}) : {};
  return table(
    `Body: ${type}`,
    Object.entries(properties).map(([name, property]) => [
      html`<code>${name}</code>`,
      html`${inline(property.description ?? '')}`,
    ]),
  );
}

function answer(
  document: OpenAPIObject,
  status: string,
  { description, headers, content = {} }: ResponseObject,
): Html {
  const examples = Object.values(content).flatMap(({ examples: all = {} }) => Object.entries(all));
  const types = Object.keys(content).join(', ');
  return html`<h4>${status}${types ? html` <span class="dim">${types}</span>` : ''}</h4>
    ${prose(description)} ${members(document, content)}
    <details>
      <summary>Headers${examples.length > 0 ? ' and examples' : ''} of ${status}</summary>
      ${headerTable(status, headers ?? {})}
      ${examples.map(([code, example]) => html`<pre tabindex="0" role="group" aria-label="Example: ${code}"><code>${JSON.stringify('value' in example ? example.value : example, null, 2)}</code></pre>`)}
    </details>`;
}

/** The members of a JSON body; error bodies are explained once, and have their examples. */
function members(document: OpenAPIObject, content: ContentObject): Html {
  const { schema } = content['application/json'] ?? {};
  const name = schema?.$ref?.split('/').at(-1) ?? '';
  const { properties = {} } = (document.components?.schemas?.[name] ?? {}) as SchemaObject;
  return table(
    `Members of ${name}`,
    Object.entries(properties).map(([member, property]) => [
      html`<code>${member}</code>`,
      html`${inline(property.description ?? ('enum' in property ? (property.enum ?? []).join(', ') : ''))}`,
    ]),
  );
}

function headerTable(status: string, headers: HeadersObject): Html {
  return table(
    `Headers of ${status}`,
    Object.entries(headers).map(([name, header]) => [
      html`<code>${name}</code>${'required' in header ? '' : html` <span class="dim">sometimes</span>`}`,
      html`${inline(header.description ?? '')}`,
    ]),
  );
}

function resolved(document: OpenAPIObject, parameter: ParameterObject | ReferenceObject): ParameterObject {
  if (!('$ref' in parameter)) return parameter;
  const name = parameter.$ref.split('/').at(-1) ?? '';
  return document.components?.parameters?.[name] as ParameterObject;
}
