/** Checks that images can be compressed, not only that worker processes exist. */
import type { CompressionPolicy } from '../../domain/compression-policy';
import { CompressionRunner, CompressionUnavailable } from './compression-runner.port';

/** If any image was finished within this time, no test image is needed. */
const FRESH_MS = 5_000;
const BOUND_MS = 2_000;

const TINY_JPEG = Buffer.from(
  '/9j/2wBDAAMDAwMDAwQEBAQFBQUFBQcHBgYHBwsICQgJCAsRCwwLCwwLEQ8SDw4PEg8bFRMTFRsfGhkaHyYiIiYwLTA+PlT/wgAL' +
    'CAAQABABAREA/8QAFQABAQAAAAAAAAAAAAAAAAAACAb/2gAIAQEAAAAAFirlFX//xAAXEAEAAwAAAAAAAAAAAAAAAAAGACIz/9oA' +
    'CAEBAAE/ABxvOkHG86QcbzpBxvOk/9k=',
  'base64',
);

export type ProbeVerdict = 'working' | 'busy' | 'not working';

interface ProbeSettings {
  readonly policy: CompressionPolicy;
  readonly pool: { readonly deadlineMs: number };
}

export class CompressionProbe {
  private running: Promise<boolean> | undefined;

  constructor(
    private readonly settings: ProbeSettings,
    private readonly runner: CompressionRunner,
  ) {}

  /** Resolves within 2 s. Concurrent calls share one test image. */
  async check(): Promise<ProbeVerdict> {
    const { ready, busy } = this.runner.state();
    if (ready > 0 && this.hasFinishedWithin(FRESH_MS)) return 'working';
    this.running ??= this.tryOne().finally(() => (this.running = undefined));
    if (await this.running) return 'working';
    // At its limit: taking it out of rotation would move its load to the others.
    const hadIdle = busy < ready;
    const isBusy = ready > 0 && !hadIdle && this.hasFinishedWithin(this.settings.pool.deadlineMs);
    return isBusy ? 'busy' : 'not working';
  }

  private hasFinishedWithin(ms: number) {
    const { lastFinishedAt } = this.runner.state();
    return lastFinishedAt !== undefined && performance.now() - lastFinishedAt < ms;
  }

  private async tryOne() {
    const options = {
      deadlineAt: performance.now() + BOUND_MS,
      signal: new AbortController().signal,
      isUrgent: true,
    };
    try {
      await this.runner.run({ kind: 'compress', image: TINY_JPEG, policy: this.settings.policy }, options);
      return true;
    } catch (error) {
      if (error instanceof CompressionUnavailable) return false;
      throw error;
    }
  }
}
