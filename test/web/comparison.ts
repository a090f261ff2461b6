import type { Locator, Page } from 'playwright-core';
import { jpegFile, visit, type Visit } from '../support/browser';
import { eventually } from '../support/eventually';
import { photoJpeg } from '../support/images';
import { sharedClient } from '../support/shared-service';

/** Returns the view of the open comparison, once it has fitted the image and takes gestures. */
export async function openedView(page: Page): Promise<Locator> {
  const view = page.getByRole('group', { name: /^Images\./ });
  await eventually(async () => expect(await view.getAttribute('style')).toContain('--scale'));
  return view;
}

/** Panzoom draws in the next frame, and the image is held in sight in the one after it; resolves when both have been shown. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const frames = (left) => (left === 0 ? resolve() : requestAnimationFrame(() => frames(left - 1)));
    frames(4);
  })`);
}

/** For each test of the enclosing block: the comparison of a photo that is stored lying on its side, open in a page of its own. */
export class TurnedComparison {
  visitor!: Visit;
  page!: Page;
  view!: Locator;
  /** The browser turns the original, the service turns the result. */
  turned!: Buffer;

  constructor() {
    const service = sharedClient();
    beforeAll(async () => (this.turned = await photoJpeg(1600, 1200, { orientation: 6 })));
    beforeEach(async () => {
      this.visitor = await visit(service.url);
      this.page = this.visitor.page;
      await this.visitor.signUp();
      await this.visitor.choose(jpegFile('turned.jpg', this.turned));
      await this.page.getByText('1 image done').waitFor();
      await this.page.getByRole('button', { name: 'Compare turned.jpg' }).click();
      this.view = await openedView(this.page);
    });
    afterEach(() => expect(this.visitor.complaints).toEqual([]));
  }

  async box(name: 'Before' | 'After') {
    await drawn(this.page);
    const found = await this.page.getByRole('img', { name }).boundingBox();
    if (!found) throw new Error(`${name} is not there`);
    return found;
  }
}
