/** Which image runs when. */
import { QUANTUM_MS, Scheduler } from '../../../../../src/compression/infrastructure/queue/scheduler';
import { clock, Image, Machine, simulateTime } from '../../../../support/simulated-machine';

simulateTime();

describe('suspension', () => {
  it('a long image is suspended after a quantum for another account, and continues when that has its share', () => {
    const machine = new Machine();
    machine.send('a1', 4_000);
    machine.pass(500);
    machine.send('b1', 300);
    machine.pass(QUANTUM_MS - 500 - 10);
    expect(machine.named('running')).toEqual(['a1']);
    machine.pass(5_000);
    expect(machine.log).toEqual(['begin a1', 'suspend a1', 'begin b1', 'end b1', 'resume a1', 'end a1']);
  });

  it('afterwards it gives way at once', () => {
    const machine = new Machine();
    machine.send('a1', 4_000);
    machine.pass(2_000);
    machine.send('b1', 300);
    expect(machine.named('running')).toEqual(['b1']);
    machine.pass(600);
    machine.send('b2', 300);
    machine.pass(10);
    expect(machine.named('running')).toEqual(['b2']);
  });

  it('nothing is suspended for an image of its own account, or of one that has taken more', () => {
    const machine = new Machine();
    machine.send('b1', 1_000);
    machine.send('a1', 4_000);
    machine.send('a2', 100);
    machine.pass(3_500);
    machine.send('b2', 100);
    machine.send('a3', 100);
    machine.pass(10);
    expect(machine.log).toEqual(['begin b1', 'end b1', 'begin a1', 'suspend a1', 'begin b2']);
  });

  it('two long images share a worker', () => {
    const machine = new Machine();
    const [a, b] = [machine.send('a1', 10_000), machine.send('b1', 10_000)];
    machine.pass(9_000);
    expect(Math.abs(a.ranMs - b.ranMs)).toBeLessThanOrEqual(QUANTUM_MS);
    expect([a.ranMs + b.ranMs, a.suspendedMs + b.suspendedMs]).toEqual([9_000, 9_000 - QUANTUM_MS]);
  });

  it('an account with a suspended image begins none while others wait', () => {
    const machine = new Machine({ workers: 2 });
    machine.send('a1', 9_000);
    machine.send('a2', 9_000);
    machine.pass(2_000);
    machine.send('b1', 200);
    machine.send('c1', 200);
    machine.send('a3', 100);
    machine.send('d1', 200);
    expect(machine.named('suspended')).toEqual(['a1', 'a2']);
    machine.pass(250);
    expect(machine.named('running')).toEqual(['a1', 'd1']);
    machine.pass(3_000);
    expect(machine.begun).toEqual(['a1', 'a2', 'b1', 'c1', 'd1']);
  });

  it('without a spare process, images that have begun continue, and others wait', () => {
    const machine = new Machine({ spares: 1 });
    machine.send('a1', 9_000);
    machine.send('b1', 9_000);
    machine.send('c1', 100);
    machine.pass(8_000);
    expect(machine.begun).toEqual(['a1', 'b1']);
    expect(machine.log.filter((line) => line.startsWith('suspend')).length).toBeGreaterThan(3);
    machine.pass(12_000);
    expect(machine.begun).toEqual(['a1', 'b1', 'c1']);
  });

  it('where processes cannot be suspended, images run through', () => {
    const machine = new Machine({ canSuspend: false });
    machine.send('a1', 9_000);
    machine.send('b1', 100);
    expect(machine.scheduler.assign()).toBeUndefined();
    machine.pass(9_500);
    expect(machine.log).toEqual(['begin a1', 'end a1', 'begin b1', 'end b1']);
  });

  it('asks to be called again when the next image may have to be suspended', () => {
    const machine = new Machine();
    machine.send('a1', 9_000);
    expect(machine.scheduler.assign()).toBeUndefined();
    machine.send('b1', 9_000);
    machine.pass(500);
    expect(machine.scheduler.assign()).toBe(QUANTUM_MS - 500);
  });

  it('a process that starts is kept for the image that it was started for', () => {
    const counts: number[] = [];
    const log: string[] = [];
    let idle = 1;
    const scheduler = new Scheduler<Image>(
      { workers: 1, canSuspend: true, memoryBytes: Infinity, queueLimit: Infinity },
      {
        get isIdle() {
          return idle > 0;
        },
        grow: (count) => counts.push(count) > 0,
        begin: ({ name }) => void (idle--, log.push(name)),
        suspend: () => undefined,
        resume: ({ name }) => log.push(`${name} again`),
      },
    );
    scheduler.add(new Image('a1', 9_000));
    scheduler.assign();
    clock.now += 2_000;
    scheduler.add(new Image('b1', 100));
    scheduler.assign();
    expect([counts, log]).toEqual([[2], ['a1']]);
    idle = 1;
    scheduler.assign();
    expect(log).toEqual(['a1', 'b1']);
  });
});

describe('memory', () => {
  const large = 75;

  it('images run within the memory, a larger one alone', () => {
    const machine = new Machine({ workers: 3, memoryBytes: 100 });
    for (const name of ['a1', 'b1', 'c1']) machine.send(name, 100, 40);
    expect(machine.named('running')).toEqual(['a1', 'b1']);
    machine.pass(300);
    machine.send('d1', 100, 400);
    expect([machine.named('running'), machine.scheduler.usedBytes]).toEqual([['d1'], large]);
    machine.pass(200);
    expect(machine.scheduler.usedBytes).toBe(0);
  });

  it('is kept for the image whose turn it is: only small ones start beside it', () => {
    const machine = new Machine({ workers: 4, memoryBytes: 100 });
    machine.send('a1', 1_000, 60);
    machine.send('b1', 100, 60);
    machine.send('c1', 100, 30);
    machine.send('d1', 100, 20);
    machine.send('e1', 100, 20);
    expect([machine.named('running'), machine.named('waiting')]).toEqual([
      ['a1', 'd1'],
      ['b1', 'c1', 'e1'],
    ]);
    machine.pass(1_010);
    expect(machine.begun).toEqual(['a1', 'd1', 'e1', 'b1', 'c1']);
  });

  it('is not kept for an image whose turn it is not', () => {
    const machine = new Machine({ workers: 3, memoryBytes: 100 });
    machine.send('a1', 5_000, large);
    machine.send('a2', 5_000, large);
    machine.pass(500);
    machine.send('b1', 100, 25);
    machine.send('b2', 100, 25);
    expect(machine.named('running')).toEqual(['a1', 'b1']);
    machine.pass(120);
    expect(machine.begun).toEqual(['a1', 'b1', 'b2']);
  });

  it('nothing is suspended for an image that would wait for the memory', () => {
    const machine = new Machine({ memoryBytes: 100 });
    machine.send('a1', 3_000, large);
    machine.send('b1', 100, 40);
    machine.pass(2_900);
    expect(machine.log).toEqual(['begin a1']);
    machine.pass(300);
    expect(machine.log).toEqual(['begin a1', 'end a1', 'begin b1', 'end b1']);
  });
});
