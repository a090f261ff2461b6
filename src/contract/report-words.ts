/**
 * The words with which a report explains a result, each with its meaning for the documentation, and how a
 * score and a shown size are written. Command line, page, headers and library share them.
 */

/** Values of X-Skip-Reason: why the uploaded file was returned unchanged. */
export const SKIP_REASONS = {
  'already-optimised': 'no result was sufficiently smaller',
  animated: 'an animation that did not become sufficiently smaller without loss, or is too long or broken',
  hdr: 'its colours (PQ or HLG) would be lost, and its format is not written with them here',
} as const;

export type SkipReason = keyof typeof SKIP_REASONS;

/** Values of X-Removed: what was removed and is neither redundant nor private. */
export const REMOVED_DATA = {
  'motion-video': 'the video of a motion photo',
  'other-pictures': 'further images of the same scene, such as a depth map',
  'gain-map': 'the HDR gain map',
  'bit-depth': 'all but 8 bits of each sample',
  'colour-profile': 'a colour profile that could be neither kept nor applied',
  'kept-metadata': 'metadata that should stay but that the format cannot hold',
  'xmp-positions':
    'XMP that states positions or sizes, such as regions or a panorama, that are no longer right',
  'editor-layers': 'layers, or the source of a drawing, that an editor had stored in a PNG',
  thermal: 'temperatures that a thermal camera had measured',
  depth: 'a depth map',
  prompt: 'the prompt, seed or workflow of an image generator',
  panorama: 'the projection with which viewers show a panorama',
  'content-credentials': 'signed content credentials (C2PA), which any change makes invalid',
  'other-data': 'data that are not known to be redundant or private',
} as const;

export type RemovedData = keyof typeof REMOVED_DATA;

/** Values of X-Budget: whether a result fits into the requested bytes. */
export const BUDGET_OUTCOMES = {
  met: 'the result fits',
  missed: 'no result fits, and `allow=any` asked for the smallest',
} as const;

/** Values of X-Partial: why the smallest result was not searched to the end. */
export const PARTIAL_REASONS = { deadline: 'the deadline was near' } as const;

const ALMOST_ONE = 0.9999;

/** Returns a score with four decimals. Only a score of exactly 1 is 1.0000, which says that no pixel changed. */
export function scoreText(score: number): string {
  return (score < 1 ? Math.min(score, ALMOST_ONE) : 1).toFixed(4);
}

/** Returns the size at which a result of this width was compared: "half size, 864 px wide", or "full size". */
export function shownSizeText(density: number, width: number): string {
  if (density === 1) return 'full size';
  const named = { 2: 'half size', 3: 'a third of its size' }[density];
  return `${named ?? `${Math.round(100 / density)}% of its size`}, ${Math.round(width / density)} px wide`;
}
