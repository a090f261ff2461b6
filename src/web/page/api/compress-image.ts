import { facts } from './facts';
import { CONNECTION_LOST, troubleFrom } from '../words/trouble';
import type { Result } from './account';
import { toQuery, type Options } from './options';
import { readReport, type Report } from './result';
import { SHOWN_FORMATS } from './shown-formats';

const ACCEPT = [...SHOWN_FORMATS.map(({ mediaType }) => mediaType), '*/*'].join();

export interface Compressed {
  readonly report: Report;
  readonly blob: Blob;
}

/** CONNECTION_LOST without a response: a network error, or the service closed the connection while the file was being sent. */
export type Outcome = Result<Compressed>;

/** Sends one file. @param onSent called with the share that is sent, 0 to 1 */
export function compressImage(file: File, options: Options, apiKey: string, onSent: (share: number) => void) {
  const request = new XMLHttpRequest();
  request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0);
  request.upload.onload = () => onSent(1);
  const form = new FormData();
  form.append('image', file);
  request.open('POST', `/api/v1/compress${toQuery(options)}`);
  request.setRequestHeader('Authorization', `Bearer ${apiKey}`);
  request.setRequestHeader('Accept', ACCEPT);
  return send(request, form);
}

/** Gets a sample as the service has compressed it. */
export function fetchCompressed(url: string) {
  const request = new XMLHttpRequest();
  request.open('GET', url);
  return send(request);
}

/** Requests of images are of XMLHttpRequest, because fetch does not report upload progress. */
function send(request: XMLHttpRequest, body?: FormData) {
  const outcome = new Promise<Outcome>((resolve) => {
    request.onload = () => void readOutcome(request).then(resolve);
    request.onerror = request.onabort = () => resolve({ trouble: CONNECTION_LOST });
  });
  request.responseType = 'blob';
  request.send(body);
  return { outcome, cancel: () => request.abort() };
}

async function readOutcome(request: XMLHttpRequest): Promise<Outcome> {
  const blob = request.response as Blob;
  if (request.status !== 200) return { trouble: troubleFrom(request.status, await blob.text()) };
  return { value: { blob, report: readReport((name) => request.getResponseHeader(name), facts.formats) } };
}
