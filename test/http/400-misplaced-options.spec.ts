/** Options that are sent as form fields: the problem says where they belong. */
import { graphicPng } from '../support/images';
import { expectProblem } from '../support/problem';
import { sharedClient } from '../support/shared-service';

const service = sharedClient();

it.each([
  ['quality', 'low', '?quality=low'],
  ['max_bytes', '200 kB & more', '?max_bytes=200%20kB%20%26%20more'],
  ['metadata', 'x'.repeat(63) + '😀', `?metadata=${'x'.repeat(63)}%EF%BF%BD`],
])('%s=%j', async (name, value, query) => {
  const { apiKey } = await service.signUp();
  const body = new FormData();
  body.append('image', new Blob([new Uint8Array(graphicPng(16, 16))]), 'a.png');
  body.append(name, value);
  const headers = { 'X-API-Key': apiKey };
  const response = await fetch(`${service.url}/api/v1/compress`, { method: 'POST', headers, body });
  const { detail } = await expectProblem(response, 400, 'unexpected_field');
  expect(detail).toBe(
    `The form may contain only the file field "image", not "${name}". Send it in the query string: "${query}".`,
  );
});
