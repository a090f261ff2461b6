import { isAffordable, isLongAnimation } from '../../../../src/compression/domain/memory-demand';

const MIB = 1024 * 1024;
const framesOf = (bytes: number) => ({ bytes, largestBytes: MIB });

it('animations of more than 64 MiB are returned unchanged', () => {
  expect([isAffordable(framesOf(64 * MIB)), isAffordable(framesOf(64 * MIB + 1))]).toEqual([true, false]);
});

it('animations of more than 24 MiB get less effort', () => {
  expect([isLongAnimation(framesOf(24 * MIB)), isLongAnimation(framesOf(24 * MIB + 1))]).toEqual([
    false,
    true,
  ]);
});
