/** How an upload of each format is opened: a row a format. */
import type { ResultFormatName, UploadFormat } from '../../contract/formats';
import type { Source } from '../formats/image-header';
import { isResultMarker } from '../formats/jpeg/result-marker';
import { withoutSegments } from '../formats/jpeg/segment-writer';
import { pngOfChunks, readChunks } from '../formats/png/png-chunks';
import { RESULT_CHUNK } from '../formats/png/png-result-marker';
import type { Context } from './context';
import { openJpeg, viewJpeg } from './jpeg/open-jpeg';
import type { OpenedImage, View } from './opened-image';
import { openPng, viewPng } from './png/open-png';

interface Upload<S extends Source = Source> {
  open(source: S, context: Context): OpenedImage | Promise<OpenedImage>;
  /** Returns the image that results are compared with. */
  view(source: S, context: Context): View;
  /** Returns a result without the marker by which this service recognises it. */
  withoutMarker(file: Uint8Array): Uint8Array;
}

const UPLOADS: Readonly<Record<UploadFormat, Upload>> = {
  jpeg: { open: openJpeg, view: viewJpeg, withoutMarker: (file) => withoutSegments(file, isResultMarker) },
  png: {
    open: openPng,
    view: viewPng,
    withoutMarker: (file) => pngOfChunks(readChunks(file).filter(({ type }) => type !== RESULT_CHUNK)),
  },
} satisfies { readonly [F in UploadFormat]: Upload<Extract<Source, { format: F }>> };

export function openUpload(source: Source, context: Context): OpenedImage | Promise<OpenedImage> {
  return UPLOADS[source.format].open(source, context);
}

export function viewUpload(source: Source, context: Context): View {
  return UPLOADS[source.format].view(source, context);
}

export function withoutMarker(format: ResultFormatName, file: Uint8Array): Uint8Array {
  return (
    Object.entries(UPLOADS)
      .find(([name]) => name === format)?.[1]
      .withoutMarker(file) ?? file
  );
}
