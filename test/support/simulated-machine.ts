/** The scheduler on invented images in simulated time. */
import type { Sharer } from '../../src/contract/caller';
import { Job } from '../../src/compression/infrastructure/queue/turns';
import { Scheduler } from '../../src/compression/infrastructure/queue/scheduler';

/** The simulated time, in milliseconds; see simulateTime(). */
export const clock = { now: 0 };

export function simulateTime() {
  beforeEach(() => {
    clock.now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => clock.now);
  });
  afterEach(() => jest.restoreAllMocks());
}

/** The account that the name of an image begins with: of a network of its own, or of that before the slash, as in n/a1. */
function sharerNamed(name: string): Sharer {
  const [account, network] = name.split('/').toReversed();
  return { account: account.replace(/\d+$/, ''), ...(network && { network }) };
}

export class Image extends Job {
  constructor(
    readonly name: string,
    readonly tookMs: number,
    demandBytes = 0,
  ) {
    super(sharerNamed(name), demandBytes);
  }
}

const RESTART_MS = 300;

export class Machine {
  readonly log: string[] = [];
  processes: number;
  readonly scheduler: Scheduler<Image>;

  constructor({
    workers = 1,
    spares = workers,
    canSuspend = true,
    memoryBytes = Infinity,
    queueLimit = Infinity,
  }: Partial<Record<'workers' | 'spares' | 'memoryBytes' | 'queueLimit', number>> & {
    canSuspend?: boolean;
  } = {}) {
    this.processes = workers + spares;
    const countOf = (state: Image['state']) => this.scheduler.all(state).length;
    const isIdle = () => countOf('running') + countOf('suspended') < this.processes;
    this.scheduler = new Scheduler(
      { workers, canSuspend, memoryBytes, processes: this.processes, queueLimit },
      {
        get isIdle() {
          return isIdle();
        },
        grow: () => false,
      },
    );
  }

  send(name: string, tookMs = 100, demandBytes = 0) {
    const image = new Image(name, tookMs, demandBytes);
    this.scheduler.add(image);
    this.assign();
    return image;
  }

  /** As the pool does: with a full queue, it may take the place of another image. Returns false if it is refused. */
  offer(name: string, tookMs?: number, demandBytes = 0) {
    const { scheduler } = this;
    const sharer = sharerNamed(name);
    const hasPlace = scheduler.hasPlaceFor(sharer, demandBytes);
    if (hasPlace && scheduler.isFull) scheduler.remove(scheduler.replaceableFor(sharer, demandBytes)!);
    if (hasPlace) this.send(name, tookMs, demandBytes);
    return hasPlace;
  }

  /** The client of an image leaves. */
  leave(image: Image) {
    this.scheduler.abandon(image);
    this.assign();
  }

  private assign() {
    for (const image of this.scheduler.overdue) {
      image.restartMs = RESTART_MS;
      this.scheduler.remove(image);
      this.log.push(`kill ${image.name}`);
    }
    for (let step = this.scheduler.next(); step; step = this.scheduler.next()) {
      const { job, suspended } = step;
      if (suspended) this.log.push(`suspend ${suspended.name}`);
      this.log.push(`${this.log.includes(`begin ${job.name}`) ? 'resume' : 'begin'} ${job.name}`);
    }
  }

  /** Lets time pass; images end when they have run for as long as they take. */
  pass(ms: number) {
    for (const end = clock.now + ms; clock.now < end;) {
      clock.now += 10;
      for (const image of this.scheduler.all('running')) {
        if (image.ranMs < image.tookMs) continue;
        this.scheduler.remove(image);
        this.log.push(`end ${image.name}`);
      }
      this.assign();
    }
  }

  /** A number is a time that passes, in ms; `a1 4000 25` sends an image of the account a, which takes 4 s and needs 25 bytes. */
  play(...steps: readonly (string | number)[]) {
    for (const step of steps) {
      const [name, tookMs = 100, demandBytes = 0] = String(step).split(' ');
      if (typeof step === 'number') this.pass(step);
      else this.send(name, Number(tookMs), Number(demandBytes));
    }
    return this;
  }

  /** The names of the images in a state, as in `a1 b1`. */
  named(state: Image['state']) {
    return this.scheduler
      .all(state)
      .map(({ name }) => name)
      .join(' ');
  }

  /** The names of the images in the order in which they began. */
  get begun() {
    return this.log.flatMap((line) => (line.startsWith('begin ') ? [line.slice(6)] : [])).join(' ');
  }

  /** The whole log, as in `begin a1, end a1`. */
  get story() {
    return this.log.join(', ');
  }
}
