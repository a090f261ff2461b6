/** Reads from the page. */
import type { Page } from 'playwright-core';
import type { Visit } from '../support/browser';

/** Returns the names in the list, in its order. */
export const namesOf = (page: Page) =>
  page
    .locator('.job h3')
    .evaluateAll((headings: { ariaLabel: string }[]) => headings.map(({ ariaLabel }) => ariaLabel));

/** Returns a list that grows by the query of each request for an image, as it is sent. */
export function queriesOf({ page }: Visit): string[] {
  const queries: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname === '/api/v1/compress') queries.push(search);
  });
  return queries;
}
