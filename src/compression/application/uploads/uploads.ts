import type { UploadFormat } from '../../../contract/formats';
import type { Source } from '../../formats/image-header';
import { jpegUpload } from './jpeg-upload';
import { pngUpload } from './png-upload';
import type { Upload } from './upload';

export const UPLOADS: Readonly<Record<UploadFormat, Upload>> = {
  jpeg: jpegUpload,
  png: pngUpload,
} satisfies { readonly [F in UploadFormat]: Upload<Extract<Source, { format: F }>> };
