/** Where the focus goes when the control that had it is gone. */
import { jobs } from '../../state/jobs';

/** The input that chooses images. */
export const FILE_INPUT = 'choose-images';
/** The heading of the list. */
export const LIST_TITLE = 'job-list-title';

export function focusFileInput(): void {
  document.getElementById(FILE_INPUT)?.focus();
}

/** Without a list, the input has it. */
export function focusList(): void {
  if (jobs.value.length > 0) document.getElementById(LIST_TITLE)?.focus();
  else focusFileInput();
}
