/** The upload formats, by name. */
import type { UploadFormat } from '../../../contract/formats';
import type { Source } from '../../formats/image-header';
import { jpegUpload } from './jpeg-upload';
import { pngUpload } from './png-upload';
import type { Upload } from './upload';

/** The compiler reports a format without a row. */
const UPLOADS: { readonly [F in UploadFormat]: Upload<Extract<Source, { format: F }>> } = {
  jpeg: jpegUpload,
  png: pngUpload,
};

export function uploadOf({ format }: Source): Upload {
  return UPLOADS[format];
}
