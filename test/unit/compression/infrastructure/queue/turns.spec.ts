import { clock, Image, Machine, simulateTime } from '../../../../support/simulated-machine';

simulateTime();

it('accounts take turns, whatever the number and the order of their images', () => {
  const machine = new Machine().play('x0', 'a1', 'a2', 'a3', 'b1', 'c1', 'c2', 1_000);
  expect(machine.begun).toBe('x0 a1 b1 c1 a2 c2 a3');
});

it('an account gets as much worker time as the others, not as many images', () => {
  const machine = new Machine().play(
    'a1 600',
    'a2 600',
    'a3 600',
    'b1 100',
    'b2 100',
    'b3 100',
    'b4 100',
    'b5 100',
    'b6 100',
    'b7 100',
    3_000,
  );
  expect(machine.begun).toBe('a1 b1 b2 b3 b4 b5 b6 a2 b7 a3');
});

it('an image counts while it runs', () => {
  const machine = new Machine({ workers: 2, canSuspend: false }).play(
    'a1 10000',
    'b1 1000',
    'a2 100',
    'b2 100',
    1_500,
  );
  expect(machine.begun).toBe('a1 b1 b2 a2');
});

it('an account that was away begins level with the one that has taken the least', () => {
  const machine = new Machine().play('a1 1000', 'a2 1000', 900, 'c1 600', 'a3 100', 'c2 100', 2_800);
  // With credit for the past, c2 would have come before a2.
  expect(machine.begun).toBe('a1 c1 a2 c2 a3');
});

it('what an account has taken counts while others have images, and is forgotten when none has', () => {
  const machine = new Machine().play('b1 500', 'a1 1000', 'b2 1400', 1_600, 'a2 100', 'c1 100', 2_000);
  expect(machine.begun).toBe('b1 a1 b2 c1 a2');
  machine.play('x0', 'a3', 'c2', 1_000);
  expect(machine.begun).toMatch(/ a3 c2$/);
});

it('forgets accounts that would begin level with the others anyway', () => {
  const machine = new Machine().play('a0 100000');
  for (let i = 0; i < 1_000; i++) {
    const image = new Image(String.fromCharCode(1_000 + i), 10);
    machine.scheduler.add(image);
    machine.scheduler.remove(image);
    clock.now += 10;
  }
  expect(machine.scheduler.turns.size).toBeLessThan(100);
});

it('urgent images come first, and are not suspended', () => {
  const machine = new Machine().play('a1 200', 'b1');
  const probe = new Image('p1', 5_000);
  probe.isUrgent = true;
  machine.scheduler.add(probe);
  machine.pass(6_000);
  expect(machine.story).toBe('begin a1, end a1, begin p1, end p1, begin b1, end b1');
});
