import { compiledNinePatch, darkPicture, ninePatch } from '../support/nine-patches';
import { expectHead, expectProblem } from '../support/responses';
import { sharedClientWithKey } from '../support/shared-service';

const service = sharedClientWithKey();

const ask = (source: Uint8Array, query: string) =>
  service.send(source, query, { Accept: 'image/avif,image/webp' });

describe.each([
  ['a nine-patch', ninePatch(120, 80, darkPicture)],
  ['a compiled nine-patch', compiledNinePatch(120, 80, darkPicture)],
])('%s', (_, source) => {
  it('?max_dimension=119 would scale it', async () => {
    await expectProblem(
      ask(source, '?max_dimension=119'),
      422,
      'cannot_convert',
      /^The image cannot be converted: it is an Android nine-patch, which keeps .* its size/,
    );
  });

  it('?max_bytes=100 does not scale it to fit', async () => {
    await expectProblem(ask(source, '?max_bytes=100'), 422, 'budget_unreachable');
  });

  it.each(['?format=webp', '?format=jpeg,avif'])('%s would drop its frame', async (query) => {
    await expectProblem(
      ask(source, query),
      422,
      'cannot_convert',
      /^The image cannot be converted: it is an Android nine-patch/,
    );
  });

  it.each([
    ['?max_dimension=120', null],
    ['?format=auto', null],
    ['?format=webp,png', null],
    ['?max_bytes=1MB', 'met'],
    ['?max_bytes=100&allow=any', 'missed'],
  ])('%s gives a PNG of its size', async (query, budget) => {
    const response = await ask(source, query);
    const png = { 'content-type': 'image/png', 'x-dimensions': '120x80' };
    expectHead(response, { status: 200, ...png, 'x-budget': budget });
  });
});
