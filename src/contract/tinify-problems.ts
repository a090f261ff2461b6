/** Problems of the routes for Tinify's clients, beside those of the upload, the account and the service. */
import { Problem } from './problem';

export const missingBasicKey = () =>
  new Problem(
    'missing_api_key',
    'Send an API key of this service with HTTP Basic authentication: any user name, and the key as the password.',
  );

export const inputMissing = () =>
  new Problem('missing_image', 'Input missing: send a JPG or PNG as the body.');

export const sourceMissing = () =>
  new Problem(
    'invalid_request',
    'Send a JPG or PNG, or JSON with its URL: {"source": {"url": "https://…"}}.',
  );

export const noUrlSources = () =>
  new Problem(
    'invalid_request',
    'This service does not fetch images from URLs; send the image itself as the body.',
  );

export const malformedSourceUrl = () =>
  new Problem(
    'invalid_request',
    'The value of "source.url" must be an http or https URL without credentials.',
  );

export const sourceNotAllowed = () =>
  new Problem(
    'invalid_request',
    'This service does not fetch images from the host or the port of this URL; send the image itself as the body.',
  );

/** One sentence for every reason, so that it does not tell which private hosts exist. */
export const sourceUnavailable = () =>
  new Problem(
    'invalid_request',
    'The image could not be fetched: the host has no public address, does not answer in time, answers with an error, or redirects too often.',
  );

export const noSuchOutput = () =>
  new Problem(
    'not_found',
    'There is no such output: outputs are deleted after an hour, or earlier when the store is full.',
  );

export const outputOfAnotherAccount = () =>
  new Problem(
    'not_found',
    'This account has no such output; commands need the account that uploaded the image.',
  );

/** @param rule what is wrong, and what would be accepted */
export const invalidCommand = (rule: string) => new Problem('invalid_request', rule);

export const outputStoreUnavailable = () =>
  new Problem('dependency_unavailable', 'The store of results is unavailable; try again shortly.', {
    retryAfter: 5,
  });
