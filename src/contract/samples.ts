/** Code samples for the OpenAPI document, in curl and JavaScript. Tests run them against the service. */

/** Stands for the host of the service; the page at /docs puts its own in its place. */
export const EXAMPLE_ORIGIN = 'http://localhost:3000';

/** Stands for the API key; the page at /docs puts the reader's in its place. */
export const EXAMPLE_KEY = 'YOUR_API_KEY';

/** @param json its JSON body */
export function codeSamples(method: string, path: string, needsKey: boolean, json?: object) {
  const url = EXAMPLE_ORIGIN + path.replace('{id}', 'KEY_ID');
  const curl = [
    `curl ${url}`,
    method !== 'GET' && !json && `-X ${method}`,
    needsKey && `-H "Authorization: Bearer ${EXAMPLE_KEY}"`,
    json && `-H 'Content-Type: application/json'`,
    json && `-d '${JSON.stringify(json)}'`,
  ];
  const options = [
    method !== 'GET' && `method: '${method}',`,
    needsKey && `headers: { Authorization: 'Bearer ${EXAMPLE_KEY}' },`,
    json && `headers: { 'Content-Type': 'application/json' },`,
    json && `body: JSON.stringify(${JSON.stringify(json)}),`,
  ].flatMap((option) => (option ? [`  ${option}\n`] : []));
  const javascript = [
    `const response = await fetch('${url}'${options.length > 0 ? `, {\n${options.join('')}}` : ''});`,
    'if (!response.ok) throw new Error((await response.json()).detail);',
    ...(method === 'DELETE' ? [] : ['console.log(await response.text());']),
  ];
  return { curl: curl.filter(Boolean).join(' \\\n  '), javascript: javascript.join('\n') };
}

const COMPRESS = `${EXAMPLE_ORIGIN}/api/v1/compress?quality=medium`;

/** They wait as long as `Retry-After` says while the service is busy or the account is over its limit, at most four times. */
export const compressSamples = (needsKey: boolean) => ({
  // Shows the reason if there is no such file. `grep` leaves out the file of an earlier call.
  curl: `curl "${COMPRESS}" \\${needsKey ? `\n  -H "Authorization: Bearer ${EXAMPLE_KEY}" \\` : ''}
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
    method: 'POST',${needsKey ? `\n    headers: { Authorization: 'Bearer ${EXAMPLE_KEY}' },` : ''}
    body: form,
  });
  if (response.status !== 429 && response.status !== 503) break;
  await wait(1000 * Number(response.headers.get('Retry-After') ?? 5));
}
if (!response.ok) throw new Error((await response.json()).detail);
await writeFile('smaller.jpg', Buffer.from(await response.arrayBuffer()));
console.log(response.headers.get('X-Bytes-Saved'), 'bytes saved');`,
});
