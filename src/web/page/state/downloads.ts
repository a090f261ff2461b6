import { signal } from '@preact/signals';
import { downloadZip } from 'client-zip';
import { downloadName, distinctNames } from '../words/names';
import type { DoneJob } from './jobs';

export const savedUrls = signal<ReadonlySet<string>>(new Set());

export function markSaved(...saved: readonly DoneJob[]) {
  savedUrls.value = new Set([...savedUrls.value, ...saved.map(({ result }) => result.url)]);
}

/** Uncompressed: compressed images do not shrink in a ZIP. */
export async function saveArchive(done: readonly DoneJob[]): Promise<void> {
  save(await downloadZip(toFiles(done)).blob(), 'compressed-images.zip');
  markSaved(...done);
}

/** Only touch devices: computers download. */
export function canShare(done: readonly DoneJob[]): boolean {
  if (!matchMedia('(pointer: coarse)').matches || typeof navigator.canShare !== 'function') return false;
  return navigator.canShare({ files: toFiles(done) });
}

export async function share(done: readonly DoneJob[]): Promise<void> {
  try {
    await navigator.share({ files: toFiles(done) });
    markSaved(...done);
  } catch {
    // The visitor closed the sheet.
  }
}

export function nameResult({ file, result }: DoneJob): string {
  return downloadName(file.name, result.report.format);
}

function toFiles(done: readonly DoneJob[]) {
  const names = distinctNames(done.map(nameResult));
  return done.map(({ file: { lastModified }, result: { blob } }, i) => {
    return new File([blob], names[i] ?? '', { type: blob.type, lastModified });
  });
}

function save(blob: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Some browsers read the blob only in a later turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
