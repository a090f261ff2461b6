/** Where the focus goes when the control that had it is gone. */

export const FILE_INPUT = 'choose-images';
export const LIST_TITLE = 'job-list-title';
export const ACCOUNT_BUTTON = 'account';

/** Only a lost focus moves, to the first of these that is there. */
export function focusFirst(...ids: readonly string[]) {
  queueMicrotask(() => {
    if (document.activeElement !== document.body) return;
    const found = ids.map((id) => document.getElementById(id));
    found.find((element) => element !== null)?.focus();
  });
}

export function focusList() {
  focusFirst(LIST_TITLE, FILE_INPUT);
}

/** For controls that are gone after their action. */
export function thenFocusList(action: () => void) {
  return () => {
    action();
    focusList();
  };
}
