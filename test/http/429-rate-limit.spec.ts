import { graphicPng } from '../support/images';
import { expectProblem, expectHead, expectStatus } from '../support/responses';
import { sharedClient } from '../support/shared-service';

const service = sharedClient('tight');

const image = graphicPng(16, 16);

it('counts both keys of an account towards one limit: the 11th request of a minute is refused, and the headers agree', async () => {
  const first = await service.signUp();
  const second = await service.addKey(first.apiKey);
  for (let i = 1; i <= 10; i++) {
    const body = i === 7 ? Buffer.from('not an image') : image;
    const response = await (i % 2 ? first : second).send(body);
    expectHead(response, {
      status: i === 7 ? 415 : 200,
      'ratelimit-policy': '"default";q=10;w=60',
      ratelimit: expect.stringMatching(new RegExp(`^"default";r=${10 - i};t=\\d+$`)) as string,
      'x-ratelimit-limit': '10',
      'x-ratelimit-remaining': String(10 - i),
    });
  }
  const refused = await second.send(image);
  const wait = Number(refused.headers.get('retry-after'));
  expect(wait).toBeGreaterThanOrEqual(1);
  expect(wait).toBeLessThanOrEqual(60);
  expectHead(refused, {
    'ratelimit-policy': '"default";q=10;w=60',
    ratelimit: `"default";r=0;t=${wait}`,
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(wait),
  });
  const body = await expectProblem(refused, 429, 'rate_limited');
  expect(body).toMatchObject({
    limit: 10,
    retry_after: wait,
    detail: `This account may send 10 requests per minute to compress images, refused ones included; try again in ${wait} s.`,
  });

  const other = await service.signUp();
  await expectStatus(other.send(image), 200);
  await expectStatus(service.api('account', { apiKey: first.apiKey }), 200);
});
