import { compressingWith } from '../../../../../src/compression/infrastructure/process/spawn-worker';
import { readSettings } from '../../../../../src/settings/settings';
import { graphicPng } from '../../../../support/images';
import { reasonOf, withOddPools } from '../../../../support/odd-pool';

withOddPools((odd) => {
  const { lost, run, removeFault, sandbox } = odd;
  /** Sends two images of clients that can leave. */
  const sendTwo = () => {
    const callers = [new AbortController(), new AbortController()];
    return { callers, outcomes: callers.map(({ signal }) => reasonOf(run({ signal }))) };
  };

  it('keeps images in progress within the pixel memory, but lets a single larger one run alone', async () => {
    await odd.start('endless', { workers: 2, pixelBytes: 80 * 1024 * 1024 });
    const { callers, outcomes } = sendTwo();
    expect(odd.pool.state()).toMatchObject({ busy: 1, queued: 1 });
    const large = reasonOf(run({}, graphicPng(2000, 1000)));
    removeFault();
    callers[0].abort();
    expect(await Promise.all([...outcomes, large])).toEqual(['cancelled', 'done', 'done']);
    expect(odd.pool.state().pixelBytes).toBe(0);
  });

  it.each([
    ['native', 2],
    ['squoosh', 1],
  ] as const)('counts what the engine %s needs for an image: %i fit into the memory', async (name, busy) => {
    const pixelBytes = 150 * 1024 * 1024;
    await odd.start('endless', {
      ...compressingWith(readSettings({ CODEC_ENGINE: name }).compression),
      sandbox,
      workers: 2,
      pixelBytes,
    });
    const { callers, outcomes } = sendTwo();
    expect(odd.pool.state().busy).toBe(busy);
    for (const caller of callers) caller.abort();
    await Promise.all(outcomes);
  });

  it('stops a worker that takes much more memory than its image should need, and refuses the image', async () => {
    await odd.start('hungry');
    await expect(run()).rejects.toMatchObject({ code: 'needs_too_much_memory' });
    removeFault();
    expect(await reasonOf(run())).toBe('done');
    expect(lost).toEqual([]);
  });

  it('stops a worker at the memory budget, whatever the estimate says, and refuses the image', async () => {
    const maxImageBytes = 200 * 1024 * 1024;
    await odd.start('hungry', { memoryFactor: 100, maxImageBytes });
    const refused = { code: 'needs_too_much_memory', numbers: { actual: expect.any(Number) as number } };
    await expect(run()).rejects.toMatchObject(refused);
    expect(lost).toEqual([]);
  });

  it('refuses a result that no image of its size can have, and keeps the worker', async () => {
    await odd.start('too-long');
    await expect(run()).rejects.toMatchObject({ code: 'too_many_pixels', numbers: { actual: 10_000_000 } });
    removeFault();
    expect(await reasonOf(run())).toBe('done');
    expect(lost).toEqual([]);
  });
});
