/**
 * Compares two images as the recipes compare their results, over the backgrounds on which they differ most,
 * and finds where. For comparisons that a user asks for; recipes keep a prepared reference instead.
 */
import type { ComparisonReport } from '../compression-report';
import { alphaOver, asRgba, isOpaque, maxDifference, withColourChannels, type Pixels } from '../pixels';
import { asSeen, seenSize } from './as-seen';
import { DifferenceMap } from './difference-map';
import { ScoreReference } from './ssim-score';
import { MIN_SIDE_PX, ssimulacra2Distance, ssimulacra2Of } from './ssimulacra2';

/** Under transparent pixels, so that a change of their opacity shows in the map. */
const GREY = 128;

export interface PixelComparison extends ComparisonReport {
  /** 0..1; the lower one over white and black if an image has transparency. */
  readonly score: number;
  /** Largest difference of any channel of any pixel, 0..255; colours under an alpha of 0 do not count. */
  readonly maxError: number;
  /** The differences of each channel as RGBA, ten times as strong. */
  readonly map: Pixels;
}

/**
 * Compares an image with its original, of the same size, over the backgrounds on which they differ most.
 * @param lossWeight how much the loss of the score counts, by format
 */
export function comparePixels(original: Pixels, image: Pixels, density = 1, lossWeight = 1): PixelComparison {
  const seen = seenSize(original, density);
  const isSmall = Math.min(seen.width, seen.height) < MIN_SIDE_PX;
  const backgrounds = isOpaque(original) && isOpaque(image) ? [255] : [255, 0];
  const views = backgrounds.map((background) => {
    const [before, after] = [original, image].map((pixels) => alphaOver(background, pixels));
    const loss = lossWeight * (1 - new ScoreReference(before, density).score(after));
    const [a, b] = [before, after].map((pixels) => withColourChannels(asSeen(pixels, seen)));
    return { loss, distance: isSmall ? 0 : ssimulacra2Distance(a, b) };
  });
  const distance = Math.max(...views.map((view) => view.distance));
  return {
    score: 1 - Math.max(...views.map(({ loss }) => loss)),
    ...(!isSmall && { ssimulacra2: ssimulacra2Of(distance) }),
    maxError: maxDifference(asRgba(original), asRgba(image)),
    ...differences(original, image),
  };
}

function differences(original: Pixels, image: Pixels): Pick<PixelComparison, 'worst' | 'map'> {
  const { width, height } = original;
  const drawn = new Uint8ClampedArray(4 * width * height);
  const found = new DifferenceMap(width, height);
  const [before, after] = [original, image].map((pixels) => asRgba(alphaOver(GREY, pixels)).data);
  found.add(before, after, 0, drawn);
  const worst = found.worst();
  return {
    ...(worst && { worst: { x: worst.x, y: worst.y, width: worst.width, height: worst.height } }),
    map: { width, height, channels: 4, data: new Uint8Array(drawn.buffer) },
  };
}
