/** A format that only this package reads: a WebP after the four letters XWBP. Its files are made by `xwbp` in images.ts. */
import sharp from 'sharp';

const EXIF_PREFIX = Buffer.from('Exif\0\0', 'latin1');

/** @type {import('image-compression-service/codec').ResultFormat} */
export const format = {
  async dimensions(file) {
    return size(await headerOf(inside(file)));
  },

  async decode(wrapped) {
    const file = inside(wrapped);
    const { exif, icc, xmp, ...header } = await headerOf(file);
    if ((header.pages ?? 1) > 1) throw new Error('an animation');
    const { width, height } = size(header);
    const limitInputPixels = width * height;
    const { data, info } = await sharp(file, { failOn: 'error', ignoreIcc: true, limitInputPixels })
      .raw()
      .toBuffer({ resolveWithObject: true });
    const hasPrefix = exif?.subarray(0, EXIF_PREFIX.length).equals(EXIF_PREFIX);
    return {
      ...{ width: info.width, height: info.height, channels: info.channels, data },
      ...(exif && { exif: hasPrefix ? exif.subarray(EXIF_PREFIX.length) : exif }),
      ...(icc && { icc }),
      ...(xmp && { xmp }),
    };
  },
};

const inside = (file) => file.subarray(4);

/** Reads no pixels, and so needs no limit. */
const headerOf = (file) => sharp(file, { limitInputPixels: false }).metadata();

/** libvips stacks the frames of an animation. */
const size = ({ width, height, pageHeight = height }) => ({ width, height: pageHeight });
