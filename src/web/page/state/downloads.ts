/** Saving results. */
import { signal } from '@preact/signals';
import { downloadZip } from 'client-zip';
import { downloadName, distinctNames } from '../words/names';
import type { DoneJob } from './jobs';

/** The images whose results were saved; leaving the page loses nothing of them. */
export const savedIds = signal<ReadonlySet<number>>(new Set());

export function markSaved(...ids: readonly number[]): void {
  savedIds.value = new Set([...savedIds.value, ...ids]);
}

/** The image gets another result. */
export function forgetSaved(id: number): void {
  savedIds.value = new Set([...savedIds.value].filter((saved) => saved !== id));
}

/** All results in one archive, stored as they are: compressed images do not get smaller in a ZIP. */
export async function saveArchive(done: readonly DoneJob[]): Promise<void> {
  const names = distinctNames(done.map(({ file, state }) => downloadName(file.name, state.report.format)));
  const entries = done.map(({ file, state }, i) => ({
    name: names[i] ?? file.name,
    lastModified: new Date(file.lastModified),
    input: state.blob,
  }));
  save(await downloadZip(entries).blob(), 'compressed-images.zip');
  markSaved(...done.map(({ id }) => id));
}

/** Whether this device hands files to other apps. Only where fingers are used: computers download. */
export function canShare(done: readonly DoneJob[]): boolean {
  if (!matchMedia('(pointer: coarse)').matches || typeof navigator.canShare !== 'function') return false;
  return navigator.canShare({ files: filesOf(done) });
}

/** Opens the share sheet of the system with the results. */
export async function share(done: readonly DoneJob[]): Promise<void> {
  try {
    await navigator.share({ files: filesOf(done) });
    markSaved(...done.map(({ id }) => id));
  } catch {
    // The person has closed the sheet.
  }
}

function filesOf(done: readonly DoneJob[]): File[] {
  const names = distinctNames(done.map(({ file, state }) => downloadName(file.name, state.report.format)));
  return done.map(
    ({ file, state }, i) => new File([state.blob], names[i] ?? file.name, { type: state.blob.type }),
  );
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has the blob by the next turn at the latest; some read it only then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
