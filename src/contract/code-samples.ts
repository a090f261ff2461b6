/** Code samples of the OpenAPI document: curl, JavaScript (fetch) and Python (requests), one of each for an operation. */

/** Stands for the host of the service; the page at /docs puts its own in its place. */
export const EXAMPLE_ORIGIN = 'http://localhost:3000';

export interface SampledOperation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Whether the operation takes an API key, shown as YOUR_API_KEY. */
  readonly needsKey: boolean;
  /** A JSON body. */
  readonly json?: Readonly<Record<string, string>>;
  /** Sends photo.jpg in the form field of this name, and saves the response as smaller.jpg. */
  readonly imageField?: string;
  /** Shows the JSON of the response. */
  readonly returnsJson?: boolean;
}

interface CodeSample {
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

function curl({ method, path, needsKey, json, imageField }: SampledOperation): string {
  const isImplied = method === 'GET' || json !== undefined || imageField !== undefined;
  return [
    `curl ${EXAMPLE_ORIGIN}${path}`,
    ...(isImplied ? [] : [`-X ${method}`]),
    ...(needsKey ? ['-H "Authorization: Bearer YOUR_API_KEY"'] : []),
    ...(json ? ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(json)}'`] : []),
    ...(imageField ? [`-F ${imageField}=@photo.jpg`, ...IMAGE_TO_FILE] : []),
  ].join(' \\\n  ');
}

/** Prints the headers, and the reason if there is no image. `grep` leaves out the image of an earlier call. */
const IMAGE_TO_FILE = ['-sS --fail-with-body -D - -o smaller.jpg', `|| grep -as '"detail"' smaller.jpg`];

function javascript(operation: SampledOperation): string {
  const { method, path, needsKey, json, imageField, returnsJson } = operation;
  const headers = [
    ...(needsKey ? ["Authorization: 'Bearer YOUR_API_KEY'"] : []),
    ...(json ? ["'Content-Type': 'application/json'"] : []),
  ];
  const url = `'${EXAMPLE_ORIGIN}${path}'`;
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(json ? [`  body: JSON.stringify(${JSON.stringify(json)}),`] : []),
    ...(imageField ? ['  body: form,'] : []),
  ];
  return lines(
    imageField && "import { openAsBlob } from 'node:fs';\n",
    imageField && 'const form = new FormData();',
    imageField && `form.append('${imageField}', await openAsBlob('photo.jpg'), 'photo.jpg');`,
    options.length > 0
      ? lines(`const response = await fetch(${url}, {`, ...options, '});')
      : `const response = await fetch(${url});`,
    'if (!response.ok) throw new Error((await response.json()).detail);',
    imageField && 'const smaller = await response.blob();',
    imageField && "console.log(response.headers.get('X-Bytes-Saved'), 'bytes saved');",
    returnsJson && 'console.log(await response.json());',
  );
}

function python(operation: SampledOperation): string {
  const { method, path, needsKey, json, imageField, returnsJson } = operation;
  const request = [
    `response = requests.${method.toLowerCase()}(`,
    `    "${EXAMPLE_ORIGIN}${path}",`,
    needsKey && '    headers={"Authorization": "Bearer YOUR_API_KEY"},',
    json && `    json=${JSON.stringify(json)},`,
    imageField && `    files={"${imageField}": image},`,
    ')',
  ];
  return lines(
    imageField && 'import time\n',
    'import requests\n',
    ...(imageField ? retried(request) : request),
    'if not response.ok:',
    '    raise SystemExit(response.json()["detail"])',
    imageField && 'open("smaller.jpg", "wb").write(response.content)',
    imageField && 'print(response.headers["X-Bytes-Saved"], "bytes saved")',
    returnsJson && 'print(response.json())',
  );
}

/** Tries up to five times, and waits as long as the service asks for when it is busy, or the account is over its limit. */
function retried(request: readonly (string | false | undefined)[]): string[] {
  return [
    'image = open("photo.jpg", "rb").read()',
    'for _ in range(5):',
    ...request.filter((line) => typeof line === 'string').map((line) => `    ${line}`),
    '    if response.status_code not in (429, 503):',
    '        break',
    '    time.sleep(int(response.headers.get("Retry-After", 5)))',
  ];
}
