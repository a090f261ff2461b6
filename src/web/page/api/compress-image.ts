import { troubleFrom, type Trouble } from '../words/trouble';
import { queryOf, type Options } from './options';
import { readReport, type Report } from './result';

export type Outcome =
  | { readonly kind: 'done'; readonly report: Report; readonly blob: Blob }
  | { readonly kind: 'refused'; readonly trouble: Trouble }
  /** No response: a network error, or the service closed the connection while the file was being sent. */
  | { readonly kind: 'no-response' };

export interface Sending {
  readonly outcome: Promise<Outcome>;
  readonly cancel: () => void;
}

/** Sends one file. Uses XMLHttpRequest, because fetch does not report upload progress. */
export function compressImage(
  file: File,
  options: Options,
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
  // Counts if the service chooses: the formats that every browser in use shows.
  request.setRequestHeader('Accept', 'image/avif,image/webp,*/*');
  request.responseType = 'blob';
  request.send(form);
  return { outcome, cancel: () => request.abort() };
}

/** Fetches the result of a sample, which the service has ready. */
export async function fetchCompressed(url: string): Promise<Outcome> {
  try {
    const response = await fetch(url);
    if (!response.ok)
      return { kind: 'refused', trouble: troubleFrom(response.status, await response.text()) };
    const blob = await response.blob();
    return { kind: 'done', blob, report: readReport((name) => response.headers.get(name)) };
  } catch {
    return { kind: 'no-response' };
  }
}

async function read(request: XMLHttpRequest): Promise<Outcome> {
  const blob = request.response as Blob;
  if (request.status === 200) {
    return { kind: 'done', blob, report: readReport((name) => request.getResponseHeader(name)) };
  }
  return { kind: 'refused', trouble: troubleFrom(request.status, await blob.text()) };
}
