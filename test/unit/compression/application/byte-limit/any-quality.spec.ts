/** `allow=any` on invented sizes. Danger: a graphic may take more bytes at a lower score, so that less fits than without it. */
import { withinByteLimit, withOutcome } from '../../../../../src/compression/application/byte-limit';
import type { Context } from '../../../../../src/compression/application/context';
import type { OpenedImage } from '../../../../../src/compression/application/opened-image';
import { QUALITY_TARGETS } from '../../../../../src/compression/domain/compression-policy';
import { policy } from '../../../../support/default-policy';
import { partOf } from '../../../../support/part-of';

const image: OpenedImage = partOf<OpenedImage>({
  size: { width: 800, height: 400 },
  source: partOf({ bytes: new Uint8Array(9_000) }),
  reopen: () => image,
});

/** Five bytes a pixel of the longer side, fewer at `low` only. */
async function within(maxBytes: number, allowsAny: boolean) {
  const limit = { maxBytes, allowsAny };
  const best = await withinByteLimit(
    image,
    partOf<Context>({ policy }),
    limit,
    (_, { policy: { targetScore, maxDimensionPx } }) => {
      const width = Math.min(800, maxDimensionPx);
      const bytes = new Uint8Array(width * (targetScore === QUALITY_TARGETS.low ? 3 : 5));
      return Promise.resolve({
        bytes,
        format: 'png',
        score: targetScore,
        dimensions: { width, height: width / 2 },
      });
    },
  );
  return { budget: withOutcome(best, limit).budget, width: best.dimensions.width };
}

it.each([2_400, 1_500, 300])('%i bytes: allowing any quality costs no dimensions', async (maxBytes) => {
  expect(await within(maxBytes, true)).toEqual(await within(maxBytes, false));
});
