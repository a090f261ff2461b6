import { isMonth, monthAfter, toMonth, parseRange } from '../../../../src/accounts/domain/usage';

it('counts months in UTC', () => {
  expect(toMonth(new Date('2026-12-31T23:59:59.999Z'))).toBe('2026-12');
  expect(toMonth(new Date('2026-12-31T23:30:00-01:00'))).toBe('2027-01');
});

it.each([
  ['2026-11', 1, '2026-12'],
  ['2026-12', 1, '2027-01'],
  ['2026-01', -1, '2025-12'],
  ['2026-11', -23, '2024-12'],
  ['2026-11', 0, '2026-11'],
])('%s plus %i months is %s', (month, count, expected) => {
  expect(monthAfter(month, count)).toBe(expected);
});

it.each([
  '2026-13',
  '2026-00',
  '2026-1',
  '26-01',
  '2026-01-01',
  '1999-12',
  ' 2026-01',
  '',
  ['2026-01'],
  undefined,
])('%j is no month', (text) => expect(isMonth(text)).toBe(false));

it('has twelve months by default', () => {
  const now = new Date('2026-11-26T12:00:00Z');
  expect(parseRange(undefined, undefined, now)).toEqual({ from: '2025-12', to: '2026-11' });
  expect(parseRange('2026-01', undefined, now)).toEqual({ from: '2026-01', to: '2026-11' });
  expect(parseRange(undefined, '2026-02', now)).toEqual({ from: '2025-03', to: '2026-02' });
});
