/** Code samples of the OpenAPI document for operations with JSON or a file as the response: curl, JavaScript (fetch) and Python (requests). */

/** Stands for the host of the service; the page at /docs replaces it with its own. */
export const EXAMPLE_ORIGIN = 'http://localhost:3000';

/** Stands for the API key; the page at /docs replaces it with the reader's. */
export const EXAMPLE_KEY = 'YOUR_API_KEY';

export interface SampledOperation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Whether the operation takes an API key, shown as EXAMPLE_KEY. */
  readonly needsKey: boolean;
  /** A JSON body. */
  readonly json?: Readonly<Record<string, string>>;
  /** Sends files in form fields: the name of each by its field. */
  readonly files?: Readonly<Record<string, string>>;
  /** Saves the response in a file of this name. */
  readonly savedAs?: string;
  /** Shows the JSON of the response. */
  readonly returnsJson?: boolean;
}

export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

const lines = (...parts: readonly (string | false | undefined)[]): string =>
  parts.filter((part) => part !== false && part !== undefined).join('\n');

/** The value of `x-codeSamples`. */
export function codeSamples(operation: SampledOperation): CodeSample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(operation) },
    { lang: 'JavaScript', label: 'JavaScript (fetch)', source: javascript(operation) },
    { lang: 'Python', label: 'Python (requests)', source: python(operation) },
  ];
}

function curl({ method, path, needsKey, json, files, savedAs }: SampledOperation): string {
  const url = `${EXAMPLE_ORIGIN}${path}`;
  const isImplied = method === 'GET' || (json ?? files) !== undefined;
  return [
    `curl ${path.includes('?') ? `"${url}"` : url}`,
    ...(isImplied ? [] : [`-X ${method}`]),
    ...(needsKey ? [`-H "Authorization: Bearer ${EXAMPLE_KEY}"`] : []),
    ...(json ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(json)}'`] : []),
    ...Object.entries(files ?? {}).map(([field, name]) => `-F ${field}=@${name}`),
    // Shows the reason if there is no such file. `grep` leaves out the file of an earlier call.
    ...(savedAs ? [`-o ${savedAs} -sS --fail-with-body`, `|| grep -as '"detail"' ${savedAs}`] : []),
  ].join(' \\\n  ');
}

function javascript(operation: SampledOperation): string {
  const { method, path, needsKey, json, files, savedAs, returnsJson } = operation;
  const sent = Object.entries(files ?? {});
  const hasForm = sent.length > 0;
  const headers = [
    ...(needsKey ? [`Authorization: 'Bearer ${EXAMPLE_KEY}'`] : []),
    ...(json ? ["'Content-Type': 'application/json'"] : []),
  ];
  const url = `'${EXAMPLE_ORIGIN}${path}'`;
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(json ? [`  body: JSON.stringify(${JSON.stringify(json)}),`] : []),
    ...(hasForm ? ['  body: form,'] : []),
  ];
  return lines(
    hasForm && "import { openAsBlob } from 'node:fs';",
    savedAs && "import { writeFile } from 'node:fs/promises';",
    (hasForm || savedAs) && '',
    hasForm && 'const form = new FormData();',
    ...sent.map(([field, name]) => `form.append('${field}', await openAsBlob('${name}'), '${name}');`),
    options.length > 0
      ? lines(`const response = await fetch(${url}, {`, ...options, '});')
      : `const response = await fetch(${url});`,
    'if (!response.ok) throw new Error((await response.json()).detail);',
    savedAs && `await writeFile('${savedAs}', response.body);`,
    returnsJson && 'console.log(await response.json());',
  );
}

function python(operation: SampledOperation): string {
  const { method, path, needsKey, json, files, savedAs, returnsJson } = operation;
  const opened = Object.entries(files ?? {}).map(([field, name]) => `"${field}": open("${name}", "rb")`);
  return lines(
    'import requests\n',
    `response = requests.${method.toLowerCase()}(`,
    `    "${EXAMPLE_ORIGIN}${path}",`,
    needsKey && `    headers={"Authorization": "Bearer ${EXAMPLE_KEY}"},`,
    json && `    json=${JSON.stringify(json)},`,
    files && `    files={${opened.join(', ')}},`,
    ')',
    'if not response.ok:',
    '    raise SystemExit(response.json()["detail"])',
    savedAs && `open("${savedAs}", "wb").write(response.content)`,
    returnsJson && 'print(response.json())',
  );
}
