import { MemoryWindow } from '../../../src/rate-limit/limit-storage';

it('forgets the keys of clients that have left', () => {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const window = new MemoryWindow();
  window.count('hour', 3_600_000, 1);
  for (let i = 0; i < 1_000; i++) window.count(`minute-${i}`, 60_000, 5);
  clock.mockReturnValue(60_000);
  window.count('another', 60_000, 5);
  const kept = [...window['windows'].values()].flatMap((keys) => [...keys.keys()]);
  expect(kept).toEqual(['hour', 'another']);
  expect(window.count('hour', 3_600_000, 1)).toEqual({
    hits: 1,
    isRefused: true,
    resetSeconds: 3_540,
  });
  clock.mockRestore();
});
