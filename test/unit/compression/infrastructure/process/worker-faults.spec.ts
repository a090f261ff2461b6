/** Broken, stopped or compromised workers cost the service only that worker. */
import { graphicPng } from '../../../../support/images';
import { OddPool } from '../../../../support/odd-pool';
import { MODES } from '../../../../support/sandboxes';

describe.each(MODES)('with the sandbox %s', (mode) => {
  const odd = new OddPool(mode, graphicPng(512, 512));
  const { lost, run, removeFault } = odd;

  afterEach(() => odd.pool.stop());

  it('reports each notice of the workers about loading codecs once', async () => {
    const notices: string[] = [];
    await odd.start('notices', { workers: 3, onNotice: (notice) => notices.push(notice) });
    expect(notices).toEqual(['an encoder is missing']);
  });

  it('uses no worker that has loaded other codecs than the first one, and says so', async () => {
    await odd.start('notices', { workers: 2, workersAtStart: 1 });
    removeFault();
    await Promise.all([run(), run()]);
    await odd.until(() => lost.length > 1);
    expect(lost[0]).toMatch(/not loaded the same codecs as the first worker/);
    expect(odd.pool.state().ready).toBe(1);
    odd.setFault();
    await odd.until(() => odd.pool.state().ready === 2);
  });

  it.each(['no-json', 'no-kind', 'no-report', 'no-header', 'large-header', 'large-body'])(
    'a malformed message (%s) ends that worker, and the image goes to the next one',
    async (fault) => {
      await odd.start(fault);
      const outcome = run();
      await odd.until(() => lost.length > 0);
      removeFault();
      expect((await outcome).report.skipReason).toBe('already-optimised');
      expect(lost[0]).toMatch(/^malformed message: /);
    },
  );

  it('detects a stopped worker by its heartbeat, and gives its image to another', async () => {
    await odd.start('stops');
    const outcome = run();
    await odd.until(() => lost.length > 0);
    removeFault();
    expect((await outcome).report.skipReason).toBe('already-optimised');
    expect(lost).toEqual(['its heartbeat stopped']);
  });

  it('refuses a result before it is in memory, and keeps the worker', async () => {
    await odd.start('heavy');
    const sizes: number[] = [];
    const onResultSize = (bytes: number) => {
      sizes.push(bytes);
      throw new Error('too much');
    };
    await expect(run({ onResultSize })).rejects.toThrow('too much');
    expect((await run()).bytes).toHaveLength(1_000_000);
    expect([sizes, lost]).toEqual([[1_000_000], []]);
  });

  it.each([
    ['unusable', 'The codec engine cannot start: libvips is missing'],
    ['absent', 'The codec engine cannot start: exit code 3'],
  ])('an engine that is %s is an error at the start, with its reason', async (fault, message) => {
    await expect(odd.start(fault)).rejects.toThrow(message);
  });

  it('images do not wait for workers that have stopped to start', async () => {
    await odd.start('absent-later');
    odd.pool.stop();
    removeFault();
    await odd.start('absent').catch(() => undefined);
    const outcome = run();
    await expect(outcome).rejects.toMatchObject({ reason: 'worker_lost' });
  });
});
