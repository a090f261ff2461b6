/** Downloads need no key, so reading for them is bounded by address. The store is controlled by the test. */
import {
  OutputsService,
  type Output,
  type OutputStore,
} from '../../../../src/tinify/application/outputs.service';
import { partOf } from '../../../support/part-of';

const MIB = 1024 * 1024;
const output = partOf<Output>({ digest: 'a', resultBytes: 3 * MIB });
const stays = () => false;

function serviceWith() {
  const pending: ((bytes: Uint8Array) => void)[] = [];
  let reads = 0;
  const store = partOf<OutputStore>({
    read: () => {
      reads++;
      return new Promise<Uint8Array>((resolve) => pending.push(resolve));
    },
  });
  const settled = () => new Promise(setImmediate);
  return {
    service: new OutputsService(store),
    reads: () => reads,
    settled,
    finishOne: () => {
      pending.shift()?.(new Uint8Array(MIB));
      return settled();
    },
  };
}

it('reads one piece at a time for all downloads of an address, and those of others meanwhile', async () => {
  const { service, reads, settled, finishOne } = serviceWith();
  const downloads = Array.from({ length: 40 }, () => service.readResult(output, '192.0.2.1', stays));
  const first = downloads.map((pieces) => pieces.next());
  await settled();
  expect(reads()).toBe(1);
  void service.readResult(output, '192.0.2.2', stays).next();
  await settled();
  expect(reads()).toBe(2);
  await finishOne();
  expect(reads()).toBe(3);
  for (let finished = 1; finished < 41; finished++) await finishOne();
  const pieces = await Promise.all(first);
  expect(pieces.map(({ value }) => (value as Uint8Array).length)).toEqual(Array(40).fill(MIB));
});

it('reads nothing for a client that has left while others of its address were served', async () => {
  const { service, reads, settled, finishOne } = serviceWith();
  let hasLeft = false;
  const served = service.readResult(output, '192.0.2.1', stays).next();
  const left = service.readResult(output, '192.0.2.1', () => hasLeft).next();
  const refused = expect(left).rejects.toMatchObject({ reason: 'cancelled' });
  await settled();
  hasLeft = true;
  await finishOne();
  await Promise.all([served, refused]);
  expect(reads()).toBe(1);
  void service.readResult(output, '192.0.2.1', stays).next();
  await settled();
  expect(reads()).toBe(2);
});

it('goes on with an address after a read that failed', async () => {
  let fails = true;
  const store = partOf<OutputStore>({
    read: () =>
      fails ? Promise.reject(new Error('The output has been deleted')) : Promise.resolve(new Uint8Array(1)),
  });
  const service = new OutputsService(store);
  await expect(service.readResult(output, '192.0.2.1', stays).next()).rejects.toThrow('deleted');
  fails = false;
  expect((await service.readResult(output, '192.0.2.1', stays).next()).done).toBe(false);
});
