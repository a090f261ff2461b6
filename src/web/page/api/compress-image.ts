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

/** Sends one file. Uses XMLHttpRequest, because fetch does not report upload progress. */
export function compressImage(file: File, options: Options, apiKey: string, onSent: (share: number) => void) {
  const request = new XMLHttpRequest();
  const outcome = new Promise<Outcome>((resolve) => {
    request.upload.onprogress = ({ loaded, total }) => onSent(total > 0 ? loaded / total : 0);
    request.upload.onload = () => onSent(1);
    request.onload = () => {
      const header = (name: string) => request.getResponseHeader(name);
      void readOutcome(request.status, request.response as Blob, header).then(resolve);
    };
    request.onerror = request.onabort = () => resolve({ trouble: CONNECTION_LOST });
  });
  const form = new FormData();
  form.append('image', file);
  request.open('POST', `/api/v1/compress${toQuery(options)}`);
  request.setRequestHeader('Authorization', `Bearer ${apiKey}`);
  request.setRequestHeader('Accept', ACCEPT);
  request.responseType = 'blob';
  request.send(form);
  return { outcome, cancel: () => request.abort() };
}

export async function fetchCompressed(url: string): Promise<Outcome> {
  try {
    const response = await fetch(url);
    return await readOutcome(response.status, await response.blob(), (name) => response.headers.get(name));
  } catch {
    return { trouble: CONNECTION_LOST };
  }
}

async function readOutcome(
  status: number,
  blob: Blob,
  header: (name: string) => string | null,
): Promise<Outcome> {
  if (status === 200) return { value: { blob, report: readReport(header, facts.formats) } };
  return { trouble: troubleFrom(status, await blob.text()) };
}
