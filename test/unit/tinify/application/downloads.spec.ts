import { Downloads } from '../../../../src/tinify/application/downloads';

const [AT_ONCE, WAITING] = [32, 512];

it('lets an address have 32 downloads and 512 that wait, and refuses more, but not of another address', async () => {
  const downloads = new Downloads();
  const started: number[] = [];
  const clients = Array.from({ length: AT_ONCE + WAITING }, (_, i) => {
    const client = new AbortController();
    const place = downloads.takePlace('192.0.2.1', client.signal).then(() => started.push(i));
    return { place, leave: () => client.abort() };
  });
  const { signal } = new AbortController();
  expect(() => downloads.takePlace('192.0.2.1', signal)).toThrow(
    expect.objectContaining({ code: 'rate_limited' }) as Error,
  );
  await downloads.takePlace('192.0.2.2', signal);
  expect(started).toHaveLength(AT_ONCE);
  clients[0].leave();
  await clients[AT_ONCE].place;
  expect(started).toHaveLength(AT_ONCE + 1);
  for (const { leave } of clients.slice(AT_ONCE + 1)) leave();
  const waiting = await Promise.allSettled(clients.slice(AT_ONCE + 1).map(({ place }) => place));
  expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set(['rejected']));
});
