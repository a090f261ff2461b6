import landscapeUrl from '../../../../examples/landscape.jpg';
import screenshotUrl from '../../../../examples/screenshot.png';
import stillLifeUrl from '../../../../examples/still-life.jpg';
import landscapeThumbnail from '../samples/landscape.jpg';
import screenshotThumbnail from '../samples/screenshot.jpg';
import stillLifeThumbnail from '../samples/still-life.jpg';
import { addFiles } from './jobs';

export interface Sample {
  readonly title: string;
  readonly fileName: string;
  readonly url: string;
  readonly thumbnailUrl: string;
}

export const SAMPLES: readonly Sample[] = [
  { title: 'Still life', fileName: 'still-life.jpg', url: stillLifeUrl, thumbnailUrl: stillLifeThumbnail },
  { title: 'Landscape', fileName: 'landscape.jpg', url: landscapeUrl, thumbnailUrl: landscapeThumbnail },
  { title: 'Screenshot', fileName: 'screenshot.png', url: screenshotUrl, thumbnailUrl: screenshotThumbnail },
];

export async function addSample({ fileName, url }: Sample): Promise<void> {
  try {
    const response = await fetch(url);
    if (!response.ok) return;
    const blob = await response.blob();
    await addFiles([new File([blob], fileName, { type: blob.type })], `${url}/compressed`);
  } catch {
    // The queue reports an unreachable service as soon as there is something to send.
  }
}
