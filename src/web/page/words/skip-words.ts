import type { SkipReason } from '../../../compression/domain/compression-report';

const WORDS: Readonly<Record<SkipReason, string>> = {
  'already-optimised': 'Already as small as it gets at this quality, so you get your file back as it was.',
  'motion-photo': 'A photo with a film in it: it would lose the film, so you get your file back as it was.',
  'multi-picture':
    'A photo with more pictures in it: it would lose them, so you get your file back as it was.',
  animated: 'An animation: it would lose its frames, so you get your file back as it was.',
};

export function skipWords(reason: string): string {
  return Object.hasOwn(WORDS, reason) ? WORDS[reason as SkipReason] : 'You get your file back as it was.';
}
