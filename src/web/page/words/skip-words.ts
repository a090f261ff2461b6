import type { RemovedCompanion, SkipReason } from '../../../contract/report-words';

const REASONS: Readonly<Record<SkipReason, string>> = {
  'already-optimised': 'Already as small as it gets at this quality.',
  'motion-photo': 'A motion photo: this service keeps its video.',
  'multi-picture': 'A photo with further images in it: this service keeps them.',
  animated: 'An animation: it would lose its frames.',
};

const COMPANIONS: Readonly<Record<RemovedCompanion, string>> = {
  'motion-video': 'its video',
  'other-pictures': 'the further images in it',
  'gain-map': 'its HDR gain map',
};

/** Names what a rewrite removed beyond metadata. */
export function companionWords(name: string): string {
  return Object.hasOwn(COMPANIONS, name) ? COMPANIONS[name as RemovedCompanion] : name;
}

/** Why the file came back unchanged. */
export function skipWords(reason: string): string {
  return Object.hasOwn(REASONS, reason) ? REASONS[reason as SkipReason] : 'This file is kept as it is.';
}
