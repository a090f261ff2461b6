/** JPEG XL as a result format: photos with loss, graphics without, by libjxl. */
import { heldBytes, release, run } from './threads.mjs';

/**
 * From 3 to 5, the encoder takes 2.2 times as long, and photos lose 3% of their bytes at the same score; 4 takes as long as 3 and writes
 * 1% more (six crops). From 5 to 7, it takes 1.9 times as long for 1%.
 */
const EFFORTS = { fast: 3, balanced: 5, max: 7 };
/** Larger ones get 3 instead of 5: on average no more bytes (12 photos), in 0.6 of the time. Trials have the effort of the file, or predict badly. */
const LARGE_PIXELS = 3_000_000;
/** Without loss, from 3 to 5: 2.5 times the time, 2% fewer bytes. */
const LOSSLESS_EFFORTS = { fast: 3, balanced: 5, max: 7 };

/** An image that is compared may be larger than its original; only for small ones, the report says so. */
const COMPARED_PIXELS = 4_000_000;

/** @type {import('image-compression-service/codec').ResultFormat} */
export const format = {
  async encode(pixels, { quality, image, metadata }) {
    const isLarge = image.pixelCount >= LARGE_PIXELS && image.effort === 'balanced';
    const effort = isLarge ? EFFORTS.fast : EFFORTS[image.effort];
    return encoded(pixels, { Q: quality, effort }, metadata);
  },

  async encodeLosslessly(pixels, { effort, metadata }) {
    return encoded(pixels, { lossless: true, effort: LOSSLESS_EFFORTS[effort] }, metadata);
  },

  async decode(file, original) {
    const maxPixels = Math.max(original.width * original.height, COMPARED_PIXELS);
    const { data, ...image } = await run({ kind: 'decode', file, maxPixels }, original);
    // Files by other encoders may have samples of 16 bits.
    return { ...image, data: data instanceof Uint16Array ? roundedToEight(data) : data };
  },

  releaseMemory(maxBytes) {
    if (heldBytes() <= maxBytes) return false;
    release();
    return true;
  },
};

async function encoded(pixels, options, { icc, exif, xmp }) {
  // An RGB profile does not describe a grey image.
  const source = icc && pixels.channels < 3 ? asColour(pixels) : pixels;
  const codestream = await run({ kind: 'encode', pixels: source, options, icc }, pixels);
  return withBoxes(codestream, { exif, xmp });
}

/** v ÷ 257, rounded. */
function roundedToEight(data) {
  const out = new Uint8Array(data.length);
  for (let i = 0; i < out.length; i++) out[i] = (data[i] * 255 + 32_895) >>> 16;
  return out;
}

/** Grey as RGB, with its alpha. */
function asColour({ width, height, channels, data }) {
  const to = channels + 2;
  const colour = new Uint8Array(width * height * to);
  for (let i = 0, p = 0; i < data.length; i += channels, p += to) {
    colour.fill(data[i], p, p + 3);
    if (channels === 2) colour[p + 3] = data[i + 1];
  }
  return { width, height, channels: to, data: colour };
}

/** The container of JPEG XL (ISO/IEC 18181-2). */
const SIGNATURE = Buffer.from('0000000c4a584c200d0a870a', 'hex');
const FILE_TYPE = box('ftyp', Buffer.from('jxl \0\0\0\0jxl ', 'latin1'));
/** Where TIFF begins in the box, after this number. */
const TIFF_OFFSET = Buffer.alloc(4);

/** Returns the codestream with these blocks, itself if there are none. libvips would rewrite EXIF and compress it. */
function withBoxes(codestream, { exif, xmp }) {
  if (!exif && !xmp) return codestream;
  const blocks = [
    ...(exif ? [box('Exif', Buffer.concat([TIFF_OFFSET, exif]))] : []),
    ...(xmp ? [box('xml ', xmp)] : []),
  ];
  return Buffer.concat([SIGNATURE, FILE_TYPE, ...blocks, box('jxlc', codestream)]);
}

function box(type, content) {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.length);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, content]);
}
