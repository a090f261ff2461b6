/** Code samples of the operations, for curl and for JavaScript. The API key is on a line of its own. */

/** Stands for the host of the service; the page at /docs puts its own in its place. */
export const EXAMPLE_ORIGIN = 'http://localhost:3000';

/** Stands for the API key; the page at /docs puts the reader's in its place. */
export const EXAMPLE_KEY = 'YOUR_API_KEY';

export interface SampledOperation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly needsKey: boolean;
  readonly json?: Readonly<Record<string, string>>;
  readonly written?: { readonly curl: string; readonly javascript: string };
}

export function curl({ method, path, needsKey, json, written }: SampledOperation): string {
  const parts = [
    `curl ${EXAMPLE_ORIGIN}${path}`,
    method !== 'GET' && !json && `-X ${method}`,
    needsKey && `-H "Authorization: Bearer ${EXAMPLE_KEY}"`,
    json && `-H 'Content-Type: application/json'`,
    json && `-d '${JSON.stringify(json)}'`,
  ];
  return withoutKey(written?.curl ?? parts.filter(Boolean).join(' \\\n  '), needsKey);
}

export function javascript({ method, path, needsKey, json, written }: SampledOperation): string {
  const options = [
    method !== 'GET' && `  method: '${method}',\n`,
    needsKey && `  headers: { Authorization: 'Bearer ${EXAMPLE_KEY}' },\n`,
    json && `  headers: { 'Content-Type': 'application/json' },\n`,
    json && `  body: JSON.stringify(${JSON.stringify(json)}),\n`,
  ].filter(Boolean);
  const generic = [
    `const response = await fetch('${EXAMPLE_ORIGIN}${path}'${options.length ? `, {\n${options.join('')}}` : ''});`,
    'if (!response.ok) throw new Error((await response.json()).detail);',
    ...(method === 'DELETE' ? [] : ['console.log(await response.text());']),
  ];
  return withoutKey(written?.javascript ?? generic.join('\n'), needsKey);
}

function withoutKey(source: string, needsKey: boolean): string {
  const lines = source.split('\n');
  return needsKey ? source : lines.filter((line) => !line.includes(EXAMPLE_KEY)).join('\n');
}

const COMPRESS = `${EXAMPLE_ORIGIN}/api/v1/compress?quality=medium`;

/** They wait as long as `Retry-After` says while the service is busy or the account is over its limit, at most four times. */
export const COMPRESS_SAMPLES = {
  // Shows the reason if there is no such file. `grep` leaves out the file of an earlier call.
  curl: `curl "${COMPRESS}" \\
  -H "Authorization: Bearer ${EXAMPLE_KEY}" \\
  -F image=@photo.jpg \\
  -o smaller.jpg \\
  -sS --retry 4 --fail-with-body \\
  || grep -as '"detail"' smaller.jpg`,
  javascript: `import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const form = new FormData();
form.append('image', await openAsBlob('photo.jpg'), 'photo.jpg');

let response;
for (let attempt = 1; attempt <= 5; attempt++) {
  response = await fetch('${COMPRESS}', {
    method: 'POST',
    headers: { Authorization: 'Bearer ${EXAMPLE_KEY}' },
    body: form,
  });
  if (response.status !== 429 && response.status !== 503) break;
  await wait(1000 * Number(response.headers.get('Retry-After') ?? 5));
}
if (!response.ok) throw new Error((await response.json()).detail);
await writeFile('smaller.jpg', Buffer.from(await response.arrayBuffer()));
console.log(response.headers.get('X-Bytes-Saved'), 'bytes saved');`,
};
