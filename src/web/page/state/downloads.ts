/** Hands results out: to the disk, to other apps, to the clipboard. */
import { signal } from '@preact/signals';
import { downloadZip } from 'client-zip';
import { downloadName, distinctNames } from '../words/names';
import type { DoneJob } from './jobs';

/** URLs of saved results; leaving the page does not lose them. */
export const savedUrls = signal<ReadonlySet<string>>(new Set());

export function markSaved(...saved: readonly DoneJob[]): void {
  savedUrls.value = new Set([...savedUrls.value, ...saved.map(({ result }) => result.url)]);
}

/** Saves all results in one archive, uncompressed: compressed images do not shrink in a ZIP. */
export async function saveArchive(done: readonly DoneJob[]): Promise<void> {
  save(await downloadZip(filesOf(done)).blob(), 'compressed-images.zip');
  markSaved(...done);
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
    markSaved(...done);
  } catch {
    // The visitor closed the sheet.
  }
}

/** Gives a result to a drag that may end outside the browser; only Chromium saves it there. */
export function dragOut(job: DoneJob, transfer: DataTransfer | null): void {
  const { blob, url } = job.result;
  // Colons separate the parts.
  const name = nameOf(job).replaceAll(':', '_');
  transfer?.setData('DownloadURL', `${blob.type}:${name}:${url}`);
}

/** Whether this browser copies images. It does only over HTTPS, or from this machine. */
export const canCopy = isSecureContext && typeof ClipboardItem === 'function';

/** Copies the pixels of a result. As PNG, the only format that clipboards take from pages. */
export async function copyImage({ result: { blob } }: DoneJob): Promise<void> {
  await navigator.clipboard.write([new ClipboardItem({ 'image/png': asPng(blob) })]);
}

async function asPng(image: Blob): Promise<Blob> {
  const bitmap = await createImageBitmap(image);
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
  bitmap.close();
  return canvas.convertToBlob({ type: 'image/png' });
}

/** The name that a result is saved under. */
export function nameOf({ file, result }: DoneJob): string {
  return downloadName(file.name, result.report.format);
}

function filesOf(done: readonly DoneJob[]): File[] {
  const names = distinctNames(done.map(nameOf));
  return done.map(({ file: { lastModified }, result: { blob } }, i) => {
    return new File([blob], names[i] ?? '', { type: blob.type, lastModified });
  });
}

/** Saves a blob as a file. */
export function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Some browsers read the blob only in a later turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
