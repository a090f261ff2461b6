import type { Page } from 'playwright-core';

/** The comparison draws in the next frame; resolves when that has been shown. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))',
  );
}
