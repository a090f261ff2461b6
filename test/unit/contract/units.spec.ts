import { bytesText, changeText } from '../../../src/contract/units';

it.each([
  [0, '0 B', '0 B'],
  [999, '999 B', '999 B'],
  [1000, '1 kB', '1.0 kB'],
  [9_999, '10 kB', '10.0 kB'],
  [12_345, '12.3 kB', '12.3 kB'],
  [999_499, '999 kB', '999.5 kB'],
  [999_500, '1 MB', '999.5 kB'],
  [999_950, '1 MB', '1.0 MB'],
  [20 * 1024 * 1024, '21 MB', '21.0 MB'],
  [1_500_000_000, '1.5 GB', '1.5 GB'],
  [2e15, '2000 TB', '2000.0 TB'],
])('says %d bytes as %s, and in a column as %s', (bytes, short, inColumn) => {
  expect(bytesText(bytes)).toBe(short);
  expect(bytesText(bytes, 1)).toBe(inColumn);
});

it('writes growth with a plus, and that of nothing as none', () => {
  expect([changeText(200, 150), changeText(200, 250), changeText(200, 200), changeText(0, 0)]).toEqual([
    '-25.0%',
    '+25.0%',
    '0.0%',
    '0.0%',
  ]);
});
