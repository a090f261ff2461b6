import { PNG } from 'pngjs';
import type { Page } from 'playwright-core';
import type { Visit } from '../support/browser';
import { eventually } from '../support/eventually';

export const namesOf = (page: Page) =>
  page
    .locator('.job h3')
    .evaluateAll((headings: { ariaLabel: string }[]) => headings.map(({ ariaLabel }) => ariaLabel));

/** Returns a list that grows by the query of each request for an image, as it is sent. */
export function queriesOf({ page }: Visit) {
  const queries: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === '/api/v1/compress') queries.push(search);
  });
  return queries;
}

export const listed = (page: Page, words: string) =>
  page.getByRole('heading', { name: words, exact: true }).waitFor();

/** Opens the comparison of an image; returns its view once it takes gestures. */
export async function compareImage(page: Page, name: string) {
  await page.getByRole('button', { name: `Compare ${name}` }).click();
  return openedView(page);
}

export async function openedView(page: Page) {
  const view = page.getByRole('group', { name: /^Images\./ });
  await eventually(async () => expect(await view.getAttribute('style')).toContain('--scale'));
  return view;
}

export const zoomOf = async (page: Page) =>
  Number.parseInt(await page.getByLabel('Zoom level').innerText(), 10);

export const expectDivider = (page: Page, percent: number) =>
  eventually(async () => expect(Number(await page.getByRole('slider').inputValue())).toBeCloseTo(percent, 0));

type Place = readonly [x: number, y: number];

/** @param moments where each finger is */
export async function touch(page: Page, ...moments: readonly (readonly Place[])[]) {
  const client = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', fingers: readonly Place[]) =>
    client.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: fingers.map(([x, y], id) => ({ x, y, id })),
    });
  for (const [i, fingers] of moments.entries()) await send(i === 0 ? 'touchStart' : 'touchMove', fingers);
  await send('touchEnd', []);
  await client.detach();
}

/** Returns this image in the place of the service. */
export function returnImage(page: Page, image: PNG) {
  const size = `${image.width}x${image.height}`;
  const headers = {
    'Content-Type': 'image/png',
    'X-Original-Size': '9000',
    'X-Compressed-Size': '1000',
    'X-Original-Dimensions': size,
    'X-Dimensions': size,
  };
  return page.route('**/api/v1/compress', (route) => route.fulfill({ headers, body: PNG.sync.write(image) }));
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly retry_after?: number;
}

export function refusal({ status, ...problem }: Refusal) {
  const body = JSON.stringify({ status, detail: 'Detail.', retry_after: 1, ...problem });
  return { status, contentType: 'application/problem+json', body };
}

/** Refuses images in the place of the service until `end` is called. */
export async function refuseImages(page: Page, problem: Refusal) {
  let isOver = false;
  let calls = 0;
  await page.route('**/api/v1/compress*', (route) => {
    calls++;
    return isOver ? route.continue() : route.fulfill(refusal(problem));
  });
  return { calls: () => calls, end: () => void (isOver = true) };
}
