import { keptCompanions } from '../../../../src/compression/domain/compression-policy';

const gainMap = Uint8Array.of(1);
const none = { hasVideo: false, hasOtherPictures: false };
const everything = { gainMap, hasVideo: true, hasOtherPictures: true };

it('keeps gain maps, and removes and reports videos and further images', () => {
  expect(keptCompanions(everything, 'gain-map')).toEqual({
    companions: { gainMap, ...none },
    removed: ['motion-video', 'other-pictures'],
  });
  expect(keptCompanions({ ...none, hasVideo: true }, 'gain-map').removed).toEqual(['motion-video']);
  expect(keptCompanions({ gainMap, ...none }, 'gain-map')).toEqual({
    companions: { gainMap, ...none },
    removed: [],
  });
});

it('removes everything with none', () => {
  expect(keptCompanions(everything, 'none')).toEqual({
    companions: none,
    removed: ['motion-video', 'other-pictures', 'gain-map'],
  });
});

it('skips files with a video or further images with all, and rewrites the others', () => {
  expect(keptCompanions(everything, 'all').skipReason).toBe('motion-photo');
  expect(keptCompanions({ ...none, hasOtherPictures: true }, 'all').skipReason).toBe('multi-picture');
  expect(keptCompanions({ gainMap, ...none }, 'all')).toEqual({
    companions: { gainMap, ...none },
    removed: [],
  });
});

it.each(['gain-map', 'all', 'none'] as const)('reports nothing for plain files with %s', (keep) => {
  expect(keptCompanions(none, keep)).toEqual({ companions: none, removed: [] });
});
