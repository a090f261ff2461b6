import { animationOf, decodedFrames, FOUR_FRAMES } from '../support/animations';
import { png, screenshot } from '../support/drawn-pngs';
import { difference } from '../support/images';
import { expectProblem } from '../support/responses';
import { bytesOf } from '../support/service';
import { sharedClientWithKey } from '../support/shared-service';

const service = sharedClientWithKey();

async function compress(source: Uint8Array, query = '') {
  const response = await service.send(source, query);
  expect(response.status).toBe(200);
  return { header: (name: string) => response.headers.get(name), body: await bytesOf(response) };
}

it('quality=lossless changes no pixel of a PNG that may lose colours otherwise', async () => {
  const source = png(420, 280, screenshot);
  expect((await compress(source)).header('x-ssim')).not.toBe('1.0000');
  const exact = await compress(source, '?quality=lossless');
  expect([exact.header('x-ssim'), exact.header('x-max-error')]).toEqual(['1.0000', '0']);
  expect(difference(exact.body, source)).toBe(0);
});

describe('an animation', () => {
  const source = animationOf({ frames: FOUR_FRAMES });

  it('becomes smaller without loss, and is recognised when it is uploaded again', async () => {
    const { header, body } = await compress(source, '?max_dimension=60');
    expect(body.length).toBeLessThan(source.length);
    expect([header('x-ssim'), header('x-max-error'), header('x-dimensions')]).toEqual([
      '1.0000',
      '0',
      '120x90',
    ]);
    expect([header('x-skipped'), header('x-skip-reason')]).toEqual([null, null]);
    expect(decodedFrames(body)).toEqual(decodedFrames(source));
    const again = await compress(body);
    expect([again.header('x-skipped'), again.header('x-skip-reason')]).toEqual(['1', 'animated']);
    expect(again.body).toEqual(body);
  });

  it('stays a PNG with format=auto, and no other format holds it', async () => {
    const { header, body } = await compress(source, '?format=auto');
    expect(header('content-type')).toBe('image/png');
    expect(decodedFrames(body)).toEqual(decodedFrames(source));
    await expectProblem(service.send(source, '?format=webp'), 422, 'cannot_convert', 'animated');
  });

  it('loses nothing for max_bytes: it fits, is refused, or misses the size', async () => {
    const { body: usual } = await compress(source);
    const met = await compress(source, `?max_bytes=${usual.length}`);
    expect([met.header('x-budget'), met.body]).toEqual(['met', usual]);
    const problem = await expectProblem(
      service.send(source, `?max_bytes=${usual.length - 1}`),
      422,
      'budget_unreachable',
    );
    expect(problem).toMatchObject({ limit: usual.length - 1, actual: usual.length });
    const missed = await compress(source, '?max_bytes=100&allow=any');
    expect([missed.header('x-budget'), missed.body]).toEqual(['missed', usual]);
  });
});
