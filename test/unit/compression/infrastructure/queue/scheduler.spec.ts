import { QUANTUM_MS, Scheduler } from '../../../../../src/compression/infrastructure/queue/scheduler';
import { clock, Image, Machine, simulateTime } from '../../../../support/simulated-machine';

simulateTime();

describe('suspension', () => {
  it('a long image is suspended after a quantum for another account, and continues when that has its share', () => {
    const machine = new Machine().play('a1 4000', 500, 'b1 300', QUANTUM_MS - 500 - 10);
    expect(machine.named('running')).toBe('a1');
    machine.pass(5_000);
    expect(machine.story).toBe('begin a1, suspend a1, begin b1, end b1, resume a1, end a1');
  });

  it('afterwards it gives way at once', () => {
    const machine = new Machine().play('a1 4000', 2_000, 'b1 300');
    expect(machine.named('running')).toBe('b1');
    machine.play(600, 'b2 300', 10);
    expect(machine.named('running')).toBe('b2');
  });

  it('nothing is suspended for an image of its own account, or of one that has taken more', () => {
    const machine = new Machine().play('b1 1000', 'a1 4000', 'a2 100', 3_500, 'b2 100', 'a3 100', 10);
    expect(machine.story).toBe('begin b1, end b1, begin a1, suspend a1, begin b2');
  });

  it('two long images share a worker', () => {
    const machine = new Machine();
    const [a, b] = [machine.send('a1', 10_000), machine.send('b1', 10_000)];
    machine.pass(9_000);
    expect(Math.abs(a.ranMs - b.ranMs)).toBeLessThanOrEqual(QUANTUM_MS);
    expect([a.ranMs + b.ranMs, a.suspendedMs + b.suspendedMs]).toEqual([9_000, 9_000 - QUANTUM_MS]);
  });

  it('an account with a suspended image begins none while others wait', () => {
    const machine = new Machine({ workers: 2 }).play(
      'a1 9000',
      'a2 9000',
      2_000,
      'b1 200',
      'c1 200',
      'a3 100',
      'd1 200',
    );
    expect(machine.named('suspended')).toBe('a1 a2');
    machine.pass(250);
    expect(machine.named('running')).toBe('a1 d1');
    machine.pass(3_000);
    expect(machine.begun).toBe('a1 a2 b1 c1 d1');
  });

  it('without a spare process, images that have begun continue, and others wait', () => {
    const machine = new Machine({ spares: 1 }).play('a1 9000', 'b1 9000', 'c1 100', 8_000);
    expect(machine.begun).toBe('a1 b1');
    expect(machine.log.filter((line) => line.startsWith('suspend')).length).toBeGreaterThan(3);
    machine.pass(12_000);
    expect(machine.begun).toBe('a1 b1 c1');
  });

  it('where processes cannot be suspended, images run through', () => {
    const machine = new Machine({ canSuspend: false }).play('a1 9000', 'b1 100');
    expect(machine.scheduler.checkAfterMs).toBeUndefined();
    machine.pass(9_500);
    expect(machine.story).toBe('begin a1, end a1, begin b1, end b1');
  });

  it('asks to be called again when the next image may have to be suspended', () => {
    const machine = new Machine().play('a1 9000');
    expect(machine.scheduler.checkAfterMs).toBeUndefined();
    machine.play('b1 9000', 500);
    expect(machine.scheduler.checkAfterMs).toBe(QUANTUM_MS - 500);
  });

  it('a process that starts is kept for the image that it was started for', () => {
    const counts: number[] = [];
    let idle = 1;
    const scheduler = new Scheduler<Image>(
      { workers: 1, canSuspend: true, memoryBytes: Infinity, processes: 2, queueLimit: Infinity },
      {
        get isIdle() {
          return idle > 0;
        },
        grow: (count) => counts.push(count) > 0,
      },
    );
    const next = () => scheduler.next()?.job.name;
    scheduler.add(new Image('a1', 9_000));
    expect(next()).toBe('a1');
    idle = 0;
    clock.now += 2_000;
    scheduler.add(new Image('b1', 100));
    expect([next(), counts]).toEqual([undefined, [2]]);
    idle = 1;
    expect(next()).toBe('b1');
  });
});

describe('memory', () => {
  it('a running image that needs more goes on if it could begin with that, or else waits again', () => {
    const machine = new Machine({ workers: 3, memoryBytes: 100 });
    const [a] = [machine.send('a1', 100, 10), machine.send('b1', 100, 50)];
    const goesOnWith = (demandBytes: number) => {
      a.demandBytes = demandBytes;
      return machine.scheduler.goesOn(a);
    };
    expect([goesOnWith(50), machine.named('running')]).toEqual([true, 'a1 b1']);
    expect([goesOnWith(60), machine.named('waiting')]).toEqual([false, 'a1']);
  });

  it('a running image gets no memory that is kept for another account', () => {
    const machine = new Machine({ workers: 3, memoryBytes: 100 });
    const [a] = [machine.send('a1', 100, 10), machine.send('b1', 100, 50), machine.send('c1', 100, 75)];
    expect(machine.named('waiting')).toBe('c1');
    a.demandBytes = 25;
    expect(machine.scheduler.goesOn(a)).toBe(true);
    a.demandBytes = 40;
    expect(machine.scheduler.goesOn(a)).toBe(false);
  });

  it('images run within the memory, a larger one alone', () => {
    const machine = new Machine({ workers: 3, memoryBytes: 100 }).play('a1 100 40', 'b1 100 40', 'c1 100 40');
    expect(machine.named('running')).toBe('a1 b1');
    machine.play(300, 'd1 100 400');
    expect([machine.named('running'), machine.scheduler.usedBytes]).toEqual(['d1', 75]);
    machine.pass(200);
    expect(machine.scheduler.usedBytes).toBe(0);
  });

  it('is kept for the image whose turn it is: only small ones start beside it', () => {
    const machine = new Machine({ workers: 4, memoryBytes: 100 }).play(
      'a1 1000 60',
      'b1 100 60',
      'c1 100 30',
      'd1 100 20',
      'e1 100 20',
    );
    expect([machine.named('running'), machine.named('waiting')]).toEqual(['a1 d1', 'b1 c1 e1']);
    machine.pass(1_010);
    expect(machine.begun).toBe('a1 d1 e1 b1 c1');
  });

  it('is not kept for an image whose turn it is not', () => {
    const machine = new Machine({ workers: 3, memoryBytes: 100 }).play(
      'a1 5000 75',
      'a2 5000 75',
      500,
      'b1 100 25',
      'b2 100 25',
    );
    expect(machine.named('running')).toBe('a1 b1');
    machine.pass(120);
    expect(machine.begun).toBe('a1 b1 b2');
  });

  it('nothing is suspended for an image that would wait for the memory', () => {
    const machine = new Machine({ memoryBytes: 100 }).play('a1 3000 75', 'b1 100 40', 2_900);
    expect(machine.story).toBe('begin a1');
    machine.pass(300);
    expect(machine.story).toBe('begin a1, end a1, begin b1, end b1');
  });
});

describe('newcomers', () => {
  it('a quarter of the memory is kept for them, whatever the size of their image', () => {
    const machine = new Machine({ workers: 4, memoryBytes: 100 }).play(
      'a1 100 24',
      'a2 100 24',
      'a3 100 24',
      'a4 100 24',
    );
    expect(machine.named('running')).toBe('a1 a2 a3');
    machine.play('b1 100 28');
    expect(machine.scheduler.usedBytes).toBe(100);
    expect(machine.named('running')).toBe('a1 a2 a3 b1');
  });

  it.each([1, 2])('with %i workers, the last process is kept for them', (workers) => {
    const machine = new Machine({ workers, spares: workers, memoryBytes: 100 });
    const processes = 2 * workers;
    for (let i = 0; i < processes - 1; i++) {
      machine.send(`${'abc'[i]}1`, 60_000);
      machine.pass(QUANTUM_MS + 10);
    }
    machine.play('a2 60000', 30_000);
    expect(machine.begun.split(' ')).toHaveLength(processes - 1);
    machine.play('z1 100', QUANTUM_MS + 110);
    expect(machine.log).toContain('end z1');
  });

  it('while others wait, the images of an account take half of the memory, or it has one', () => {
    const machine = new Machine({ workers: 1, spares: 8, memoryBytes: 100 }).play(
      'b1 1000 10',
      'a1 20000 26',
      'a2 20000 26',
      'a3 20000 26',
      'c1 20000 26',
      'c2 20000 26',
      60_000,
    );
    const most = (account: string) => {
      let [now, peak] = [0, 0];
      for (const [what, name] of machine.log.map((line) => line.split(' ')))
        if (name.startsWith(account))
          peak = Math.max(peak, (now += what === 'begin' ? 1 : what === 'end' ? -1 : 0));
      return peak;
    };
    expect([most('a'), most('c')]).toEqual([1, 1]);
  });

  it('an account whose image waits for memory begins no smaller one before it', () => {
    const machine = new Machine({ workers: 4, memoryBytes: 100 }).play(
      'a1 1000 50',
      'a2 100 50',
      'a3 100 10',
    );
    expect(machine.named('running')).toBe('a1');
    machine.pass(1_010);
    expect(machine.begun).toBe('a1 a2 a3');
  });

  it('one account with any number of long images delays each of the others by a quantum at most', () => {
    for (const workers of [1, 2, 4])
      for (const bytes of [20, 49, 300]) {
        const machine = new Machine({ workers, spares: 16, memoryBytes: 100 });
        for (let i = 0; i < 20; i++) machine.send(`a${i}`, 25_000, bytes);
        machine.pass(10_000);
        for (const name of ['b1', 'c1', 'd1', 'e1']) {
          machine.send(name, 300, 25);
          machine.pass(QUANTUM_MS + 310);
          expect(machine.log).toContain(`end ${name}`);
        }
      }
  });

  it.each([
    [2, 30],
    [4, 18],
    [16, 4],
  ])('%i accounts with long images delay another one by a quantum for each at most', (accounts, bytes) => {
    const machine = new Machine({ workers: 2, spares: 16, memoryBytes: 100 });
    for (let i = 0; i < 3 * accounts; i++)
      machine.send(`${String.fromCharCode(65 + (i % accounts))}${i}`, 25_000, bytes);
    machine.pass(20_000);
    for (const name of ['x1', 'y1', 'z1']) {
      machine.send(name, 300, 25);
      machine.pass(QUANTUM_MS * Math.ceil(accounts / 2) + 400);
      expect(machine.log).toContain(`end ${name}`);
    }
  });
});

describe('places in the queue', () => {
  it('one account may fill it, and each account gets a place before others get their second', () => {
    const machine = new Machine({ queueLimit: 4 });
    const names = ['x0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1', 'b3', 'd1', 'e1', 'c2'];
    expect(names.filter((name) => !machine.offer(name, 60_000))).toEqual(['a5', 'b3', 'e1', 'c2']);
    expect(machine.named('waiting').split(' ').sort()).toEqual(['a1', 'b1', 'c1', 'd1']);
  });
});

describe('networks', () => {
  const list = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));

  it('accounts of one network have an idle machine to themselves', () => {
    const machine = new Machine({ workers: 2, spares: 16, queueLimit: 38 });
    expect(list(41, (i) => machine.offer(`n/a${'x'.repeat(i % 20)}${i}`)).indexOf(false)).toBe(40);
    expect(machine.scheduler.all('running')).toHaveLength(2);
    machine.pass(20 * 100);
    expect(machine.scheduler.all()).toEqual([]);
  });

  it('take turns, and the accounts of a network in its time', () => {
    const machine = new Machine().play('x0', 'n/a1', 'n/a2', 'n/b1', 'n/c1', 'm/d1', 'm/d2', 1_000);
    expect(machine.begun).toBe('x0 n/a1 m/d1 n/b1 m/d2 n/c1 n/a2');
  });

  it('a long image is suspended for another account of its network, too', () => {
    const machine = new Machine({ spares: 2 }).play('n/a1 9000', 500, 'n/b1 300', QUANTUM_MS);
    expect(machine.story).toBe('begin n/a1, suspend n/a1, begin n/b1, end n/b1, resume n/a1');
  });

  it.each([
    ['a hundred accounts of one network', 100, 1],
    ['one account in twenty networks', 1, 20],
  ])('%s delay each of the others by a quantum, and leave each a place', (_, accounts, networks) => {
    for (const workers of [1, 2, 4])
      for (const bytes of [7, 20, 49, 300]) {
        const machine = new Machine({ workers, spares: 16, memoryBytes: 100, queueLimit: 8 * workers });
        const flood = (round: number) =>
          list(100, (i) => {
            const account = 'a'.repeat(1 + (i % accounts));
            machine.offer(`network-${'n'.repeat(i % networks)}/${account}${100 * round + i}`, 25_000, bytes);
          });
        flood(0);
        machine.pass(10_000);
        for (const [round, name] of ['m/b1', 'm/c1', 'o/d1', 'o/e1', 'm/b2'].entries()) {
          flood(round + 1);
          expect(machine.offer(name, 300, 25)).toBe(true);
          machine.pass(QUANTUM_MS + 310);
          expect(machine.log).toContain(`end ${name}`);
        }
      }
  });

  it('while others wait, the images of all accounts of a network take half of the memory', () => {
    const machine = new Machine({ workers: 4, memoryBytes: 100 }).play(
      'm/b1 1000 10',
      'm/b2 1000 70',
      'n/a1 1000 20',
      'n/c1 1000 20',
      'n/d1 1000 20',
    );
    expect(machine.begun).toBe('m/b1 n/a1 n/c1');
  });

  it('one without an image takes the place of one that has taken more time', () => {
    const machine = new Machine({ queueLimit: 2, canSuspend: false });
    for (const name of ['a1', 'b1']) machine.offer(name, 500);
    machine.pass(510);
    for (const name of ['a2', 'c1', 'd1']) machine.offer(name, 500);
    expect(machine.named('waiting')).toBe('c1 d1');
    expect(machine.offer('e1')).toBe(false);
  });

  it('but not of one that needs clearly less memory', () => {
    const machine = new Machine({ queueLimit: 2, canSuspend: false });
    for (const name of ['a1', 'b1']) machine.offer(name, 500);
    machine.pass(510);
    for (const name of ['a2', 'c1']) machine.offer(name, 500, 40);
    expect(machine.offer('d1', 500, 60)).toBe(false);
    expect(machine.offer('d2', 500, 40)).toBe(true);
    expect(machine.named('waiting')).toBe('c1 d2');
  });

  it.each([30, 100])(
    'more of them than places, with images of %i%% of the memory, leave places to small images of others',
    (bytes) => {
      const machine = new Machine({ workers: 2, spares: 16, queueLimit: 16, memoryBytes: 100 });
      const isThere = (name: string) => machine.scheduler.all().some(({ account }) => account === name);
      for (let round = 0; round < 60; round++) {
        for (const name of list(20, (i) => 'a'.repeat(1 + i)))
          if (!isThere(name)) machine.offer(`${name}${round}`, 25_000, bytes);
        expect(machine.offer(`b${round}`, 100, 5)).toBe(true);
        for (let quanta = 0; quanta < 4 && isThere('b'); quanta++) machine.pass(QUANTUM_MS);
        expect(machine.log).toContain(`end b${round}`);
      }
    },
  );

  it('an account gets a place beside another one of its network that fills the queue', () => {
    const machine = new Machine({ queueLimit: 4 });
    const names = ['n/a0', 'n/a1', 'n/a2', 'n/a3', 'n/a4', 'n/b1', 'n/a5'];
    expect(names.filter((name) => !machine.offer(name))).toEqual(['n/a5']);
    expect(machine.named('waiting')).toBe('n/a1 n/a2 n/a3 n/b1');
  });

  it('a large image is not overtaken forever by small ones of its network', () => {
    const machine = new Machine({ workers: 2, memoryBytes: 100 }).play('n/a0 1000 20', 'n/b0 1000 75');
    for (let i = 1; i < 60; i++) {
      for (const account of 'acd') machine.send(`n/${account}${i}`, 90 + 10 * (i % 7), 20);
      machine.pass(50);
    }
    expect(machine.log).toContain('end n/b0');
  });
});

describe('an image whose client has left', () => {
  it('may finish, and gives way at once', () => {
    const machine = new Machine();
    const image = machine.send('a1', 1_000);
    machine.pass(150);
    machine.leave(image);
    machine.play(100, 'b1 300');
    expect(machine.named('running')).toBe('b1');
    machine.pass(1_100);
    expect(machine.story).toBe('begin a1, suspend a1, begin b1, end b1, resume a1, end a1');
  });

  it('is killed once it has run for a quantum, also alone, and the restart counts for its account', () => {
    const machine = new Machine();
    const image = machine.send('a1', 9_000);
    machine.pass(150);
    machine.leave(image);
    expect(machine.scheduler.checkAfterMs).toBe(QUANTUM_MS - 150);
    machine.play('a2 100', QUANTUM_MS - 160);
    expect(machine.story).toBe('begin a1');
    machine.play('b1 200', 'b2 100', 1_000);
    // b began level with a: without the restart, a2 would come before b2.
    expect(machine.log.filter((line) => !line.startsWith('end')).join(', ')).toBe(
      'begin a1, suspend a1, begin b1, resume a1, kill a1, begin b2, begin a2',
    );
  });

  it('costs a worker for each quantum at most, however many leave, and delays others by as much', () => {
    const machine = new Machine({ workers: 2, spares: 16, queueLimit: 16 });
    let sent = 0;
    const seconds = 60;
    for (let second = 0; second < seconds; second++) {
      for (let i = 0; i < 13; i++) {
        const images = ['a', 'b', 'c', 'd'].flatMap((account) => {
          const name = `n/${account}${sent++}`;
          return machine.offer(name, 25_000)
            ? machine.scheduler.all().filter((image) => image.name === name)
            : [];
        });
        machine.pass(70);
        images.forEach((image) => machine.leave(image));
      }
      machine.offer(`m/z${second}`, 50);
      machine.pass(90);
      expect(machine.log).toContain(`end m/z${second}`);
    }
    const kills = machine.log.filter((line) => line.startsWith('kill')).length;
    expect(kills).toBeGreaterThan(10);
    expect(kills).toBeLessThanOrEqual((2 * seconds * 1_000) / QUANTUM_MS);
  });
});
