/** Debian's Chromium, or CHROMIUM_PATH. Its headless shell opens a page for a fifth of the processor time. */
import { existsSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { eventually } from './eventually';
import type { ServiceClient } from './service';
import { isAvailable } from './services';

const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
const CHROMIUM =
  process.env['CHROMIUM_PATH'] ?? (existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : '/usr/bin/chromium');

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // All pages belong to one service. A process for each, and one in reserve, would compile the same scripts again.
  '--renderer-process-limit=1',
];

/** `describe`, or a skip with a message if there is no browser; with REQUIRE_SERVICES=1 (CI) it fails. */
export function describeInBrowser(name: string, body: () => void) {
  (isAvailable(existsSync(CHROMIUM), `CHROMIUM_PATH or ${CHROMIUM}`) ? describe : describe.skip)(name, () => {
    afterAll(async () => {
      await (await browser)?.close();
      browser = undefined;
    });
    // Contexts of beforeAll() stay open for all tests.
    beforeEach(() => void visits.splice(0));
    afterEach(async () => {
      // An open page goes on drawing.
      await Promise.all(visits.map((context) => context.close()));
      expect(complaints.splice(0)).toEqual([]);
    });
    body();
  });
}

let browser: Promise<Browser> | undefined;
const visits: BrowserContext[] = [];
/** Errors in the browser, in any test: script errors and policy violations. Refused requests do not count. */
const complaints: string[] = [];

export async function openBrowser() {
  // Takes half a second to load, which files without a browser do not need.
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

const PATIENCE_MS = 150_000;

export type Visit = Awaited<ReturnType<typeof visit>>;

/** Files by their names. */
type Images = Readonly<Record<string, Buffer>>;

/** The same image under many names: 1.jpg, 2.jpg and so on. */
export function numbered(image: Buffer, count: number): Images {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${i + 1}.jpg`, image]));
}

export function filesOf(images: Images) {
  return Object.entries(images).map(([name, buffer]) => {
    return { name, mimeType: name.endsWith('.png') ? 'image/png' : 'image/jpeg', buffer };
  });
}

export function button(within: Page | Locator, name: string | RegExp) {
  return within.getByRole('button', { name });
}

interface Globals {
  readonly document: { readonly activeElement: unknown };
  getComputedStyle(element: unknown): Record<string, string>;
}

export function styleOf(locator: Locator, property: string): Promise<string | undefined> {
  return locator.evaluate(
    (element: unknown, name) => (globalThis as unknown as Globals).getComputedStyle(element)[name],
    property,
  );
}

/** Waits for a text. */
export const shows = (within: Page | Locator, text: string | RegExp) => within.getByText(text).waitFor();

export const click = (within: Page | Locator, name: string | RegExp) => button(within, name).click();

/** Where something is that the page shows, in CSS pixels. */
export async function boxOf(locator: Locator) {
  const { x, y, width, height } = (await locator.boundingBox())!;
  return { x, y, width, height, right: x + width, bottom: y + height };
}

/** Types into a field, and presses Enter in it. */
export async function enter(within: Page | Locator, label: string, text: string) {
  const field = within.getByLabel(label);
  await field.fill(text);
  await field.press('Enter');
}

/** The page moves the focus after it has drawn. */
export function expectFocus(locator: Locator) {
  const hasFocus = (element: unknown) =>
    (globalThis as unknown as Globals).document.activeElement === element;
  return eventually(async () => expect(await locator.evaluate(hasFocus)).toBe(true));
}

/** Waits for all animations except endless ones, such as the band of a progress bar. */
const ANIMATIONS_ENDED = `Promise.all(document.getAnimations()
  .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
  .map((animation) => animation.finished.catch(() => undefined))).then(() => undefined)`;

/** For tests of the page as it moves: by default it is at rest, because drawing every frame takes a tenth of the time. */
export const IN_MOTION: BrowserContextOptions = { reducedMotion: 'no-preference' };

export async function visit(url: string, options: BrowserContextOptions = {}) {
  const opened = await (browser ??= openBrowser());
  const context = await opened.newContext({
    viewport: { width: 1200, height: 800 },
    reducedMotion: 'reduce',
    ...options,
  });
  visits.push(context);
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (['error', 'warning'].includes(message.type()) && !isRefusal) complaints.push(message.text());
  });
  const origins = new Set<string>();
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url())) origins.add(new URL(request.url()).origin);
  });
  await page.goto(url);
  return {
    page,
    origins,
    row: (fileName: string) =>
      page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: fileName }) }),
    choose: (images: Images) => page.getByLabel('Choose JPG or PNG images').setInputFiles(filesOf(images)),
    /** Checks what people need who see, hear or move otherwise. @param known rules that need not hold */
    expectAccess: (known?: RegExp) => expectAccess(page, known),
  };
}

export async function visitWithKey(service: ServiceClient, options: BrowserContextOptions = {}) {
  const account = await service.signUp();
  return { ...account, ...(await visit(`${service.url}/#key=${account.apiKey}`, options)) };
}

async function expectAccess(page: Page, known = /^$/) {
  // During a transition the contrast differs.
  await page.evaluate(ANIMATIONS_ENDED);
  // Evaluates like the browser's console, so that the policy of the page stays in force.
  const { default: axe } = await import('axe-core');
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  // The nodes that pass are not described, only the rules.
  const results = await page.evaluate<AxeResults>(`axe.run({ resultTypes: ['violations'] })`);
  // Ensures that anything was checked at all.
  expect(results.passes.length).toBeGreaterThan(10);
  const violations = results.violations.filter(({ id }) => !known.test(id));
  expect(violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))).toEqual([]);
}
