/** Where the focus goes when the control that had it is gone. */

/** The input that chooses images. */
export const FILE_INPUT = 'choose-images';
/** The heading of the list. */
export const LIST_TITLE = 'job-list-title';
/** The button that opens the view of the account. */
export const ACCOUNT_BUTTON = 'account';

/** Once the page has been drawn, moves a lost focus to the first of these elements that is there. */
export function focusFirst(...ids: readonly string[]): void {
  queueMicrotask(() => {
    if (document.activeElement !== document.body) return;
    const found = ids.map((id) => document.getElementById(id));
    found.find((element) => element !== null)?.focus();
  });
}

/** Without a list, the input has it. */
export function focusList(): void {
  focusFirst(LIST_TITLE, FILE_INPUT);
}
