/** Decides which data after a JPEG's image are kept: HDR gain maps, videos of motion photos, other images. */
import type { KeptCompanions } from './compression-policy';
import type { RemovedCompanion, SkipReason } from '../../contract/report-words';

/** The data after the image of a JPEG file. */
export interface Companions {
  /** The HDR gain map: a complete JPEG, as stored. */
  readonly gainMap?: Uint8Array;
  /** Whether there is a video, as in motion photos. */
  readonly hasVideo: boolean;
  /** Whether there are images other than previews: a second view, a depth map, another gain map. */
  readonly hasOtherPictures: boolean;
}

export interface CompanionVerdict {
  /** Why the file must stay unchanged; absent if it may be rewritten. */
  readonly skipReason?: SkipReason;
  readonly companions: Companions;
  readonly removed: readonly RemovedCompanion[];
}

/** Decides what a rewritten file keeps. With `all`, a file whose companions cannot be rewritten is skipped. */
export function keptCompanions(companions: Companions, keep: KeptCompanions): CompanionVerdict {
  const { gainMap, hasVideo, hasOtherPictures } = companions;
  if (keep === 'all' && hasVideo) return { skipReason: 'motion-photo', companions, removed: [] };
  if (keep === 'all' && hasOtherPictures) return { skipReason: 'multi-picture', companions, removed: [] };
  const keepsMap = gainMap !== undefined && keep !== 'none';
  return {
    companions: { ...(keepsMap ? { gainMap } : {}), hasVideo: false, hasOtherPictures: false },
    removed: [
      ...(hasVideo ? (['motion-video'] as const) : []),
      ...(hasOtherPictures ? (['other-pictures'] as const) : []),
      ...(gainMap && !keepsMap ? (['gain-map'] as const) : []),
    ],
  };
}
