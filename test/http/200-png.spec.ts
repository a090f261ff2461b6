import { animationOf, decodedFrames, FOUR_FRAMES } from '../support/animations';
import { png, screenshot } from '../support/drawn-pngs';
import { difference } from '../support/images';
import { expectHead, expectProblem } from '../support/responses';
import { bytesOf } from '../support/service';
import { sharedClientWithKey } from '../support/shared-service';

const service = sharedClientWithKey();

/** Returns the body. @param facts of its head, by the names of headers */
async function compress(source: Uint8Array, query: string, facts: object) {
  const response = await service.send(source, query);
  expectHead(response, { status: 200, ...facts });
  return bytesOf(response);
}

it('quality=lossless changes no pixel of a PNG that may lose colours otherwise', async () => {
  const source = png(420, 280, screenshot);
  await compress(source, '', { 'x-ssim': expect.not.stringContaining('1.0000') as string });
  const exact = await compress(source, '?quality=lossless', { 'x-ssim': '1.0000', 'x-max-error': '0' });
  expect(difference(exact, source)).toBe(0);
});

describe('an animation', () => {
  const source = animationOf({ frames: FOUR_FRAMES });

  it('becomes smaller without loss, and is recognised when it is uploaded again', async () => {
    const body = await compress(source, '?max_dimension=60', {
      'x-ssim': '1.0000',
      'x-max-error': '0',
      'x-dimensions': '120x90',
      'x-skipped': null,
      'x-skip-reason': null,
    });
    expect(body.length).toBeLessThan(source.length);
    expect(decodedFrames(body)).toEqual(decodedFrames(source));
    expect(await compress(body, '', { 'x-skipped': '1', 'x-skip-reason': 'animated' })).toEqual(body);
  });

  it('stays a PNG with format=auto, and no other format holds it', async () => {
    const body = await compress(source, '?format=auto', { 'content-type': 'image/png' });
    expect(decodedFrames(body)).toEqual(decodedFrames(source));
    await expectProblem(service.send(source, '?format=webp'), 422, 'cannot_convert', 'animated');
  });

  it('loses nothing for max_bytes: it fits, is refused, or misses the size', async () => {
    const usual = await compress(source, '', {});
    expect(await compress(source, `?max_bytes=${usual.length}`, { 'x-budget': 'met' })).toEqual(usual);
    const problem = await expectProblem(
      service.send(source, `?max_bytes=${usual.length - 1}`),
      422,
      'budget_unreachable',
    );
    expect(problem).toMatchObject({ limit: usual.length - 1, actual: usual.length });
    const missed = await compress(source, '?max_bytes=100&allow=any', { 'x-budget': 'missed' });
    expect(missed).toEqual(usual);
  });
});
