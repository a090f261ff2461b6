/** Broken, stopped or compromised workers cost the service only that worker. */
import { writeFileSync } from 'node:fs';
import { graphicPng } from '../../../../support/images';
import { until } from '../../../../support/eventually';
import { reasonOf, withOddPools } from '../../../../support/odd-pool';

withOddPools(
  (odd, mode) => {
    const { lost, run, removeFault } = odd;

    it('reports each notice of the workers about loading codecs once', async () => {
      const notices: string[] = [];
      await odd.start('notices', { workers: 3, onNotice: (notice) => notices.push(notice) });
      expect(notices).toEqual(['an encoder is missing']);
    });

    it('uses no worker that has loaded other codecs than the first one, and says so', async () => {
      await odd.start('notices', { workers: 2, workersAtStart: 1 });
      removeFault();
      await Promise.all([run(), run()]);
      await until(() => lost.length > 1);
      expect(lost[0]).toMatch(/not loaded the same codecs as the first worker/);
      expect(odd.pool.state().ready).toBe(1);
      odd.setFault();
      await until(() => odd.pool.state().ready === 2);
    });

    it.each([
      ...['no-json', 'no-kind', 'no-report', 'no-header', 'large-header', 'large-body'].map((fault) => [
        fault,
        '',
      ]),
      ['second-start', 'a second start ("ready")'],
      ['late-unusable', 'a second start ("unusable")'],
      ['sizes-of-another', 'sizes of another image'],
      ['negative-time', 'an unknown message'],
      ['of-another-task', 'the result of another task'],
    ])(
      'a worker that sends malformed messages or is taken over (%s) ends, and the image goes to the next one',
      async (fault, cause) => {
        const notices: string[] = [];
        await odd.start(fault, { onNotice: (notice) => notices.push(notice) });
        const outcome = run();
        await until(() => lost.length > 0);
        removeFault();
        expect((await outcome).report.skipReason).toBe('already-optimised');
        expect(lost[0]).toContain(`malformed message: ${cause}`);
        expect(notices).toEqual([]);
      },
    );

    it('passes error messages on as such, and ends a worker that floods them', async () => {
      const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
      await odd.start('writes-forever');
      const outcome = run();
      await until(() => lost.length > 0);
      removeFault();
      await outcome;
      const text = write.mock.calls.map(([piece]) => String(piece)).join('');
      write.mockRestore();
      expect(lost[0]).toBe('it floods its standard error');
      expect(text.slice(0, 60)).toMatch(/^worker: \?\[2J\{"level":"info"\}\nworker: /);
    });

    it('takes no result that was sent ahead for the next image', async () => {
      await odd.start('two-results');
      await run();
      await until(() => lost.length > 0);
      removeFault();
      expect(lost[0]).toBe('malformed message: an unexpected result');
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

    it('ends a worker that works without an image', async () => {
      await odd.start('works-on');
      expect(await reasonOf(run())).toBe('done');
      removeFault();
      await until(() => lost.length > 0);
      expect(lost).toEqual(['it works without an image']);
      expect(await reasonOf(run())).toBe('done');
    });

    it.each([
      ['unusable', 'libvips is missing'],
      ['absent', 'exit code 3'],
    ])('an engine that is %s is an error at the start, with its reason', async (fault, reason) => {
      const start = {
        off: `The codec engine cannot start: ${reason}`,
        required: `The required sandbox of the workers does not work here: bubblewrap: ${reason}`,
      };
      await expect(odd.start(fault)).rejects.toThrow(start[mode as 'off' | 'required']);
    });

    it('images do not wait for workers that have stopped to start', async () => {
      await odd.start('absent-later');
      writeFileSync(`${odd.file}.later`, '');
      await expect(run()).rejects.toMatchObject({ reason: 'worker_lost' });
      expect(lost.slice(0, 3)).toEqual(['exit code 7', 'exit code 3', 'exit code 3']);
    });
  },
  graphicPng(512, 512),
);
