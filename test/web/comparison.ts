import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/eventually';

/** Returns the view of the open comparison, once it has fitted the image and takes gestures. */
export async function openedView(page: Page): Promise<Locator> {
  const view = page.getByRole('group', { name: /^Images\./ });
  await eventually(async () => expect(await view.getAttribute('style')).toContain('--scale'));
  return view;
}

/** Panzoom draws in the next frame, and what holds the image in sight in the one after it; resolves when both have been shown. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const frames = (left) => (left === 0 ? resolve() : requestAnimationFrame(() => frames(left - 1)));
    frames(4);
  })`);
}
