import { SHOWN_BY_BROWSERS } from '../../../contract/formats';
import { facts } from './facts';

/** JPEG XL, of a package: some browsers show it. */
const JPEG_XL = Object.values(facts.formats).filter(({ mediaType }) => mediaType === 'image/jxl');
/** One pixel. */
const JPEG_XL_SAMPLE = '/woAEBBQXAgIAgEAHABLGIsVggMA';

/** The formats besides JPG and PNG that the service returns and this browser shows. */
export const SHOWN_FORMATS = [
  ...(JPEG_XL.length > 0 && (await showsJpegXl()) ? JPEG_XL : []),
  ...SHOWN_BY_BROWSERS.map((format) => facts.formats[format]),
];

async function showsJpegXl() {
  const bytes = Uint8Array.from(atob(JPEG_XL_SAMPLE), (character) => character.charCodeAt(0));
  try {
    (await createImageBitmap(new Blob([bytes], { type: 'image/jxl' }))).close();
    return true;
  } catch {
    return false;
  }
}
