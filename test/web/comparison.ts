import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually';

/** Returns the view of the open comparison, once it has fitted the image and takes gestures. */
export async function openedView(page: Page): Promise<Locator> {
  const view = page.getByRole('group', { name: /^Images\./ });
  await eventually(async () => expect(await view.getAttribute('style')).toContain('--transform'));
  return view;
}

/** The comparison draws in the next frame; resolves when that has been shown. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve())))',
  );
}
