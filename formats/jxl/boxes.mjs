/**
 * The container of JPEG XL (ISO/IEC 18181-2). libvips would rewrite EXIF and compress it; these boxes hold it as it is.
 */
const SIGNATURE = Buffer.from('0000000c4a584c200d0a870a', 'hex');
const FILE_TYPE = box('ftyp', Buffer.from('jxl \0\0\0\0jxl ', 'latin1'));
/** Where TIFF begins in the box, after this number. */
const TIFF_OFFSET = Buffer.alloc(4);

/** Returns the codestream itself if there are no blocks. */
export function withBoxes(codestream, { exif, xmp }) {
  if (!exif && !xmp) return codestream;
  return Buffer.concat([
    SIGNATURE,
    FILE_TYPE,
    ...(exif ? [box('Exif', Buffer.concat([TIFF_OFFSET, exif]))] : []),
    ...(xmp ? [box('xml ', xmp)] : []),
    box('jxlc', codestream),
  ]);
}

function box(type, content) {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.length);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, content]);
}
