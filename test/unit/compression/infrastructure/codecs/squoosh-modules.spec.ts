import { renewed } from '../../../../../src/compression/infrastructure/codecs/squoosh/squoosh-modules';

/** 20 megapixels, whose samples are never read. */
const large = { data: { length: 80e6 } as Uint8ClampedArray, width: 5000, height: 4000 };
const small = { data: new Uint8ClampedArray(4), width: 1, height: 1 };
const file = new ArrayBuffer(8);

it.each([
  ['encoding a large image', large, file, 1],
  ['decoding to a large image', file, large, 1],
  ['encoding a small image', small, file, 0],
  ['decoding to a small image', file, small, 0],
] as const)(
  'after %s a codec gets a new instance if the old one has grown',
  async (_, input, result, count) => {
    const renew = jest.fn(() => Promise.resolve());
    expect(await renewed(() => Promise.resolve(result), renew, 64e6)(input)).toBe(result);
    expect(renew).toHaveBeenCalledTimes(count);
  },
);

it('after an error a codec gets a new instance', async () => {
  const renew = jest.fn(() => Promise.resolve());
  await expect(renewed(() => Promise.reject(new Error('exit(1)')), renew, 64e6)(small)).rejects.toThrow(
    'exit(1)',
  );
  expect(renew).toHaveBeenCalledTimes(1);
});
