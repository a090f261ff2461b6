import type { ProblemCode } from '../../../contract/problem';

/** What to do next, for every error of the contract: the type checker refuses a code without its sentence. */
const ADVICE: Readonly<Record<ProblemCode, string>> = {
  invalid_multipart:
    'Try again; if it happens again, something between you and the service changes what is sent.',
  missing_image: 'Choose a file that is not empty.',
  unexpected_field: 'Reload the page: it may be older than the service.',
  too_many_files: 'Reload the page: it may be older than the service.',
  conflicting_credentials: 'Sign out and enter one key.',
  invalid_request: 'Check what you entered; if it is right, reload the page.',
  missing_api_key: 'Sign up or paste a key above; your list is kept.',
  invalid_api_key: 'Paste another key or sign up again above; your list is kept.',
  trial_expired: 'An e-mail address is all it takes to go on; your list is kept.',
  trial_used_up: 'An e-mail address is all it takes to go on; your list is kept.',
  account_suspended: 'Ask the operator of this service, or use a key of another account; your list is kept.',
  signup_closed: 'Ask the operator of this service for an invitation or a key.',
  not_found: 'Reload the page: it may be older than the service.',
  method_not_allowed: 'Reload the page: it may be older than the service.',
  request_timeout: 'Try again on a faster connection, or with a smaller file.',
  account_exists:
    'Choose "I have a key" and paste it. If it is lost, ask the operator of this service for a new one.',
  too_many_keys: 'Revoke a key that is no longer used.',
  image_too_large: 'Save it at a lower quality or in fewer pixels, and add it again.',
  unsupported_media_type: 'Export it as JPG or PNG, and add it again.',
  undecodable_image: 'Open it in an image program, save it again, and add it again.',
  too_many_pixels: 'Scale it down, and add it again.',
  budget_unreachable: 'Allow lower quality here, or more bytes in the options.',
  headers_too_large: 'Clear the cookies of this site, and try again.',
  // The page counts the seconds down beside it.
  rate_limited: '',
  internal_error: 'Try again; if it happens again, report the request id.',
  overloaded: 'Try again in a moment.',
  deadline_exceeded: 'Try again in a moment, or with a smaller image.',
  draining: 'Try again in a moment.',
  dependency_unavailable: 'Try again in a moment.',
};

export function adviceFor(code: string | undefined): string {
  return code !== undefined && Object.hasOwn(ADVICE, code) ? ADVICE[code as ProblemCode] : 'Try again.';
}
