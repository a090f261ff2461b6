import { troubleFrom, type Trouble } from '../words/trouble';
import { queryOf, type JobOptions } from './options';
import { readReport, type Report } from './result';

export type Outcome =
  | { readonly kind: 'done'; readonly report: Report; readonly blob: Blob }
  | { readonly kind: 'refused'; readonly trouble: Trouble }
  /** No response: the network, or a service that closed the connection while the file was still being sent. */
  | { readonly kind: 'no-response' };

export interface Sending {
  readonly outcome: Promise<Outcome>;
  readonly cancel: () => void;
}

/** Sends one file. XMLHttpRequest, because fetch does not tell how far an upload is. */
export function compressImage(
  file: File,
  options: JobOptions,
  apiKey: string,
  onSent: (share: number) => void,
): Sending {
  const request = new XMLHttpRequest();
  const outcome = new Promise<Outcome>((resolve) => {
    request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0);
    request.upload.onload = () => onSent(1);
    request.onload = () => void read(request).then(resolve);
    request.onerror = request.onabort = () => resolve({ kind: 'no-response' });
  });
  const form = new FormData();
  form.append('image', file);
  request.open('POST', `/api/v1/compress${queryOf(options)}`);
  request.setRequestHeader('Authorization', `Bearer ${apiKey}`);
  request.responseType = 'blob';
  request.send(form);
  return { outcome, cancel: () => request.abort() };
}

async function read(request: XMLHttpRequest): Promise<Outcome> {
  const blob = request.response as Blob;
  if (request.status === 200) {
    return { kind: 'done', blob, report: readReport((name) => request.getResponseHeader(name)) };
  }
  return { kind: 'refused', trouble: troubleFrom(request.status, await blob.text()) };
}
