import { clock, Image, Machine, simulateTime } from '../../../../support/simulated-machine';

simulateTime();

it('accounts take turns, whatever the number and the order of their images', () => {
  const machine = new Machine();
  for (const name of ['x0', 'a1', 'a2', 'a3', 'b1', 'c1', 'c2']) machine.send(name);
  machine.pass(1_000);
  expect(machine.begun).toEqual(['x0', 'a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

it('an account gets as much worker time as the others, not as many images', () => {
  const machine = new Machine();
  for (const name of ['a1', 'a2', 'a3']) machine.send(name, 600);
  for (const name of ['b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7']) machine.send(name, 100);
  machine.pass(3_000);
  expect(machine.begun).toEqual(['a1', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'a2', 'b7', 'a3']);
});

it('an image counts while it runs', () => {
  const machine = new Machine({ workers: 2, canSuspend: false });
  machine.send('a1', 10_000);
  machine.send('b1', 1_000);
  machine.send('a2', 100);
  machine.send('b2', 100);
  machine.pass(1_500);
  expect(machine.begun).toEqual(['a1', 'b1', 'b2', 'a2']);
});

it('an account that was away begins level with the one that has taken the least', () => {
  const machine = new Machine();
  machine.send('a1', 1_000);
  machine.send('a2', 1_000);
  machine.pass(900);
  machine.send('c1', 600);
  for (const name of ['a3', 'c2']) machine.send(name, 100);
  machine.pass(2_800);
  // With credit for the past, c2 would have come before a2.
  expect(machine.begun).toEqual(['a1', 'c1', 'a2', 'c2', 'a3']);
});

it('what an account has taken counts while others have images, and is forgotten when none has', () => {
  const machine = new Machine();
  machine.send('b1', 500);
  machine.send('a1', 1_000);
  machine.send('b2', 1_400);
  machine.pass(1_600);
  machine.send('a2', 100);
  machine.send('c1', 100);
  machine.pass(2_000);
  expect(machine.begun).toEqual(['b1', 'a1', 'b2', 'c1', 'a2']);
  machine.send('x0');
  machine.send('a3');
  machine.send('c2');
  machine.pass(1_000);
  expect(machine.begun.slice(-2)).toEqual(['a3', 'c2']);
});

it('forgets accounts that would begin level with the others anyway', () => {
  const machine = new Machine();
  machine.send('a0', 100_000);
  for (let i = 0; i < 1_000; i++) {
    const image = new Image(String.fromCharCode(1_000 + i), 10);
    machine.scheduler.add(image);
    machine.scheduler.remove(image);
    clock.now += 10;
  }
  expect(machine.scheduler.turns.size).toBeLessThan(100);
});

it('urgent images come first, and are not suspended', () => {
  const machine = new Machine();
  machine.send('a1', 200);
  machine.send('b1');
  const probe = new Image('p1', 5_000);
  probe.isUrgent = true;
  machine.scheduler.add(probe);
  machine.pass(6_000);
  expect(machine.log).toEqual(['begin a1', 'end a1', 'begin p1', 'end p1', 'begin b1', 'end b1']);
});
