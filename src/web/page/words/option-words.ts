/** The options in words. */
import { bytesText } from '../../../contract/units';
import type { Options } from '../api/options';

export const QUALITY_WORDS: Readonly<Record<NonNullable<Options['quality']>, string>> = {
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  'very-high': 'Very high',
};

export const METADATA_WORDS: Readonly<Record<NonNullable<Options['metadata']>, string>> = {
  none: 'Nothing',
  copyright: 'Author and copyright',
  all: 'Everything',
};

/** What was chosen: "at most 200 kB, low quality"; undefined when nothing was. */
export function optionWords({ maxBytes, quality, maxDimensionPx, metadata }: Options): string | undefined {
  const parts = [
    ...(maxBytes === undefined ? [] : [`at most ${bytesText(maxBytes)}`]),
    ...(quality === undefined ? [] : [`${QUALITY_WORDS[quality].toLowerCase()} quality`]),
    ...(maxDimensionPx === undefined ? [] : [`at most ${maxDimensionPx} px`]),
    ...(metadata === undefined ? [] : [`metadata kept: ${METADATA_WORDS[metadata].toLowerCase()}`]),
  ];
  return parts.length > 0 ? parts.join(', ') : undefined;
}
