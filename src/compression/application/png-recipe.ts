/**
 * A PNG in, a smaller PNG with the same pixels out. Only an image over the maximum dimension, or one whose
 * EXIF says that it lies on its side, gets new pixels.
 */
import type { CompressionPolicy } from '../domain/compression-policy';
import { fitWithin, sameSize, type Dimensions } from '../domain/dimensions';
import { chooseSmallest } from '../domain/skip-rule';
import { withColourChunks, withoutMetadata, type PngStructure } from '../formats/png-structure';
import type { PngCodec } from './codecs.port';
import type { Outcome } from './outcome';
import type { Stopwatch } from './stopwatch';

interface PngSource {
  readonly bytes: Uint8Array;
  readonly structure: PngStructure;
  /** Upright. */
  readonly dimensions: Dimensions;
}

export async function compressPng(
  { bytes, structure, dimensions }: PngSource,
  codec: PngCodec,
  policy: CompressionPolicy,
  stopwatch: Stopwatch,
): Promise<Outcome> {
  // Re-encoding an animation through a still-image pipeline would keep one frame and lose the rest.
  if (structure.isAnimated) return { skipReason: 'animated' };

  const size = fitWithin(dimensions, policy.maxDimensionPx);
  const mustScale = !sameSize(size, dimensions);
  const plain =
    mustScale || structure.orientation !== 1
      ? await stopwatch.time('decode', async () =>
          withColourChunks(
            await codec.transform(bytes, {
              orientation: structure.orientation,
              ...(mustScale ? { size } : {}),
            }),
            structure.colourChunks,
          ),
        )
      : withoutMetadata(bytes, structure);

  const optimised = await stopwatch.time('encode', () => codec.optimise(plain));
  const isFaithful = await stopwatch.time('verify', () => codec.arePixelsEqual(plain, optimised));
  const candidate = { bytes: isFaithful ? optimised : plain, score: 1, dimensions: size };
  return (
    chooseSmallest(bytes.length, [candidate], { ...policy, mustChange: mustScale }) ?? {
      skipReason: 'already-optimised',
    }
  );
}
