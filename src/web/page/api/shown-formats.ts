import { RESULT_FORMATS, SHOWN_BY_BROWSERS } from '../../../contract/formats';
import { facts } from './facts';

const JPEG_XL = { label: 'JPEG XL', mediaType: 'image/jxl' };
/** One pixel. */
const JPEG_XL_SAMPLE = '/woAEBBQXAgIAgEAHABLGIsVggMA';

/** The formats besides JPG and PNG that the service returns and this browser shows. */
export const SHOWN_FORMATS = [
  ...(facts.returnsJpegXl && (await showsJpegXl()) ? [JPEG_XL] : []),
  ...SHOWN_BY_BROWSERS.map((format) => RESULT_FORMATS[format]),
];

async function showsJpegXl(): Promise<boolean> {
  const bytes = Uint8Array.from(atob(JPEG_XL_SAMPLE), (character) => character.charCodeAt(0));
  try {
    (await createImageBitmap(new Blob([bytes], { type: JPEG_XL.mediaType }))).close();
    return true;
  } catch {
    return false;
  }
}
