import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

const FOLDER = join(__dirname, '..', '..', 'docs', 'screenshots');

/** Saves screenshots for docs/page.md if UPDATE_SCREENSHOTS=1, so that a plain test run changes no file. */
export async function keepScreenshot(page: Page, name: string) {
  if (process.env['UPDATE_SCREENSHOTS'] !== '1') return;
  const shot = await page.screenshot({ animations: 'disabled' });
  mkdirSync(FOLDER, { recursive: true });
  const small = await sharp(shot).png({ palette: true, quality: 90, effort: 10 }).toBuffer();
  writeFileSync(join(FOLDER, `${name}.png`), small);
}

/** Saves an image of the page's own, such as its sample: a screenshot as a browser makes it, not compressed further. */
export async function keepImage(page: Page, path: string) {
  if (process.env['UPDATE_SCREENSHOTS'] !== '1') return;
  await page.screenshot({ animations: 'disabled', path: join(FOLDER, '..', '..', path) });
}
