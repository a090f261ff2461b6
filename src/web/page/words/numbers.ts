/** An integer; never rounded up to 100. */
export function savingPercent(original: number, saved: number): number {
  return original > 0 ? Math.min(99, Math.round((saved / original) * 100)) : 0;
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const format = new Intl.NumberFormat('en', { maximumFractionDigits: ms < 10_000 ? 2 : 1 });
  return `${format.format(ms / 1000)} s`;
}

export function dateText(moment: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' }).format(new Date(moment));
}

export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
