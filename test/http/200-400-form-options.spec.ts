import { graphicPng } from '../support/images';
import { expectProblem, expectHead } from '../support/responses';
import { sharedClient } from '../support/shared-service';

const service = sharedClient();
const png = new Blob([new Uint8Array(graphicPng(64, 48))]);

async function send(query: string, ...fields: [name: string, value: string | Blob][]) {
  const { apiKey } = await service.signUp();
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  return service.api(`compress${query}`, { apiKey, body });
}

it('takes them before and after the file, and in the query too', async () => {
  const response = await send('?effort=fast', ['max_dimension', '32'], ['image', png], ['format', 'webp']);
  expectHead(response, { status: 200, 'content-type': 'image/webp', 'x-dimensions': '32x24' });
});

const LOW = ['quality', 'low'] as const;
it.each([
  ['a bad value', '', [['quality', 'huge']], 'invalid_request', 'The parameter "quality" must'],
  ['an unknown field', '', [['qualty', 'low']], 'unexpected_field', 'not "qualty"'],
  ['one field twice', '', [LOW, LOW], 'invalid_request', '"quality" must be given once'],
  ['a field of the query', '?quality=low', [LOW], 'invalid_request', '"quality" must be given once'],
  ['a removed option', '?reference=x', [], 'invalid_request', '"reference" was removed'],
] as const)('refuses %s by name', async (_, query, fields, code, words) => {
  const sent = send(query, ['image', png], ...(fields as unknown as [string, string][]));
  await expectProblem(sent, 400, code, words);
});
