import { signal } from '@preact/signals';
import screenshotUrl from '../../../../examples/screenshot.png';
import { fetchCompressed } from '../api/compress-image';
import stillLifeUrl from '../samples/still-life.jpg';
import screenshotThumbnail from '../samples/screenshot-small.jpg';
import stillLifeThumbnail from '../samples/still-life-small.jpg';
import { addFiles, type Comparable } from './jobs';

export const STILL_LIFE = {
  title: 'Still life',
  fileName: 'still-life.jpg',
  url: stillLifeUrl,
  thumbnailUrl: stillLifeThumbnail,
} as const;

export const SAMPLES = [
  STILL_LIFE,
  { title: 'Screenshot', fileName: 'screenshot.png', url: screenshotUrl, thumbnailUrl: screenshotThumbnail },
] as const;

/** A sample before and after, as this service compresses it; undefined until it has. */
export const proof = signal<Comparable | undefined>(undefined);

export async function loadProof(): Promise<void> {
  if (proof.peek()) return;
  const { value } = await fetchCompressed(`${STILL_LIFE.url}/compressed`).outcome;
  if (!value) return;
  const result = { report: value.report, url: URL.createObjectURL(value.blob) };
  proof.value = { originalUrl: STILL_LIFE.url, result };
}

/** Adds a sample as if the visitor had chosen it. */
export async function addSample({ fileName, url }: (typeof SAMPLES)[number]): Promise<void> {
  try {
    const response = await fetch(url);
    if (!response.ok) return;
    const blob = await response.blob();
    await addFiles([new File([blob], fileName, { type: blob.type })], `${url}/compressed`);
  } catch {
    // The queue reports an unreachable service as soon as there is something to send.
  }
}
