import { asRgba, compositeOver, isOpaque, type Pixels } from '../../../../src/compression/domain/pixels';

const samples = [0, 1, 7, 127, 128, 200, 254, 255];

it.each([0, 1, 100, 128, 255])('rounds every mixture with a grey of %d to the nearest sample', (grey) => {
  for (const value of samples) {
    const data = Uint8Array.from({ length: 256 * 4 }, (_, i) => (i % 4 === 3 ? i >> 2 : value));
    const mixed = compositeOver(grey, { width: 256, height: 1, channels: 4, data }).data;
    for (let alpha = 0; alpha < 256; alpha++) {
      const exact = Math.round((value * alpha + grey * (255 - alpha)) / 255);
      expect([...mixed.subarray(alpha * 4, alpha * 4 + 4)]).toEqual([exact, exact, exact, 255]);
    }
  }
});

it.each([
  [1, [9, 200], [9, 9, 9, 255, 200, 200, 200, 255]],
  [2, [9, 0, 200, 254], [9, 9, 9, 0, 200, 200, 200, 254]],
  [3, [1, 2, 3, 253, 254, 255], [1, 2, 3, 255, 253, 254, 255, 255]],
] as const)('adds what %d channels lack', (channels, data, rgba) => {
  const image: Pixels = { width: 2, height: 1, channels, data: Uint8Array.from(data) };
  expect([...asRgba(image).data]).toEqual(rgba);
});

it('mixes each colour with that of the background alone', () => {
  const image: Pixels = { width: 1, height: 1, channels: 4, data: Uint8Array.of(255, 0, 51, 51) };
  expect([...compositeOver(0, image).data]).toEqual([51, 0, 10, 255]);
  const grey = { ...image, channels: 2, data: Uint8Array.of(200, 51) } as const;
  expect([...compositeOver(0, grey).data]).toEqual([40, 40, 40, 255]);
});

it('detects opaque images', () => {
  const of = (channels: 1 | 4, ...data: number[]) =>
    isOpaque({ width: data.length / channels, height: 1, channels, data: Uint8Array.from(data) });
  expect([of(1, 7), of(4, 1, 2, 3, 255), of(4, 1, 2, 3, 255, 1, 2, 3, 254)]).toEqual([true, true, false]);
});
