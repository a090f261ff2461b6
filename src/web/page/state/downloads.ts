/** Saves results. */
import { signal } from '@preact/signals';
import { downloadZip } from 'client-zip';
import { downloadName, distinctNames } from '../words/names';
import type { DoneJob } from './jobs';

/** Images with saved results; leaving the page does not lose them. */
export const savedIds = signal<ReadonlySet<number>>(new Set());

export function markSaved(...ids: readonly number[]): void {
  savedIds.value = new Set([...savedIds.value, ...ids]);
}

/** Call this when the image gets another result. */
export function forgetSaved(id: number): void {
  savedIds.value = new Set([...savedIds.value].filter((saved) => saved !== id));
}

/** Saves all results in one archive, uncompressed: compressed images do not shrink in a ZIP. */
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

/** Whether this device can hand files to other apps. Only touch devices: computers download. */
export function canShare(done: readonly DoneJob[]): boolean {
  if (!matchMedia('(pointer: coarse)').matches || typeof navigator.canShare !== 'function') return false;
  return navigator.canShare({ files: filesOf(done) });
}

/** Opens the system's share sheet with the results. */
export async function share(done: readonly DoneJob[]): Promise<void> {
  try {
    await navigator.share({ files: filesOf(done) });
    markSaved(...done.map(({ id }) => id));
  } catch {
    // The visitor closed the sheet.
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
  // Some browsers read the blob only in a later turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
