/**
 * One compression that several requests wait for. Each stops waiting at its own deadline or when its client disconnects; the
 * work stops when no request is waiting.
 */
import {
  CompressionUnavailable,
  type RunOptions,
  type RunResult,
  type UnavailableReason,
} from './compression-runner.port';

export interface SharedResult extends RunResult {
  /** Whether the result was found in the store. */
  readonly isFound?: boolean;
}

/** Refusals that concern only one request. */
const PERSONAL: ReadonlySet<UnavailableReason> = new Set(['overloaded', 'deadline_exceeded', 'cancelled']);

interface Participant {
  readonly options: RunOptions;
  readonly isOpener: boolean;
  resolve(result: SharedResult | 'try again'): void;
  reject(error: Error): void;
}

export class SharedRun {
  private readonly participants = new Set<Participant>();
  private readonly abandonment = new AbortController();
  /** Size of the result; undefined until it is known. */
  private resultBytes: number | undefined;
  private hasStarted = false;
  private outcome: { readonly result: SharedResult } | { readonly error: Error } | undefined;

  /** @param onAbandoned called when no request is waiting any more */
  constructor(private readonly onAbandoned: () => void) {}

  /** Aborted when no request is waiting any more. */
  get signal(): AbortSignal {
    return this.abandonment.signal;
  }

  /**
   * Resolves to the result, or to `try again` if the run failed for a reason that concerns only the request that opened it.
   * @param isOpener whether the run uses this request's deadline and account
   * @throws the errors of the run and of `options.onResultSize`, or CompressionUnavailable at the request's own
   * deadline or when its signal is aborted
   */
  join(options: RunOptions, isOpener = false): Promise<SharedResult | 'try again'> {
    if (options.signal.aborted) throw new CompressionUnavailable('cancelled');
    return new Promise((resolve, reject) => {
      const msLeft = options.deadlineAt - performance.now();
      const giveUp = (reason: UnavailableReason) => participant.reject(new CompressionUnavailable(reason));
      const timer = Number.isFinite(msLeft)
        ? setTimeout(() => giveUp('deadline_exceeded'), msLeft)
        : undefined;
      const onAbort = () => giveUp('cancelled');
      const leave = () => {
        clearTimeout(timer);
        options.signal.removeEventListener('abort', onAbort);
        this.leave(participant);
      };
      const participant: Participant = {
        options,
        isOpener,
        resolve: (result) => {
          leave();
          resolve(result);
        },
        reject: (error) => {
          leave();
          reject(error);
        },
      };
      options.signal.addEventListener('abort', onAbort, { once: true });
      this.participants.add(participant);
      if (this.hasStarted) options.onStarted?.();
      if (this.resultBytes !== undefined && !this.isAdmittedBy(participant, this.resultBytes)) return;
      if (this.outcome) this.tell(participant);
    });
  }

  /** Call this when a worker takes the image. */
  started(): void {
    this.hasStarted = true;
    for (const { options } of this.participants) options.onStarted?.();
  }

  /** Passes the size of the result to all waiting requests. @throws when every request has refused it */
  admit(bytes: number): void {
    this.resultBytes = bytes;
    for (const participant of [...this.participants]) this.isAdmittedBy(participant, bytes);
    if (this.participants.size === 0) throw new CompressionUnavailable('cancelled');
  }

  succeed(result: SharedResult): void {
    this.settle({ result });
  }

  fail(error: Error): void {
    this.settle({ error });
  }

  private isAdmittedBy(participant: Participant, bytes: number): boolean {
    try {
      participant.options.onResultSize?.(bytes);
      return true;
    } catch (error) {
      participant.reject(error as Error);
      return false;
    }
  }

  private settle(outcome: NonNullable<SharedRun['outcome']>): void {
    this.outcome = outcome;
    for (const participant of [...this.participants]) this.tell(participant);
  }

  private tell(participant: Participant): void {
    const { outcome } = this;
    if (!outcome) return;
    if ('result' in outcome) participant.resolve(outcome.result);
    else if (isPersonal(outcome.error) && !participant.isOpener) participant.resolve('try again');
    else participant.reject(outcome.error);
  }

  private leave(participant: Participant): void {
    this.participants.delete(participant);
    if (this.participants.size > 0 || this.outcome) return;
    this.onAbandoned();
    this.abandonment.abort();
  }
}

function isPersonal(error: Error): boolean {
  return error instanceof CompressionUnavailable && PERSONAL.has(error.reason);
}
