/**
 * The container of JPEG XL (ISO/IEC 18181-2). libvips would rewrite EXIF and compress it; these boxes hold it as it is.
 */
const SIGNATURE = Buffer.from('0000000c4a584c200d0a870a', 'hex');
const FILE_TYPE = box('ftyp', Buffer.from('jxl \0\0\0\0jxl ', 'latin1'));
/** Where TIFF begins in the box, after this number. */
const TIFF_OFFSET = Buffer.alloc(4);

/**
 * Returns the file itself if there are no blocks.
 * @param file a codestream; a container, with its level, if it has 16 bits and no loss
 */
export function withBoxes(file, { exif, xmp }) {
  if (!exif && !xmp) return file;
  const blocks = [
    ...(exif ? [box('Exif', Buffer.concat([TIFF_OFFSET, exif]))] : []),
    ...(xmp ? [box('xml ', xmp)] : []),
  ];
  const bytes = Buffer.from(file);
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE))
    return Buffer.concat([SIGNATURE, FILE_TYPE, ...blocks, box('jxlc', bytes)]);
  let at = SIGNATURE.length;
  while (['ftyp', 'jxll'].includes(bytes.toString('latin1', at + 4, at + 8))) at += bytes.readUInt32BE(at);
  return Buffer.concat([bytes.subarray(0, at), ...blocks, bytes.subarray(at)]);
}

function box(type, content) {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + content.length);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, content]);
}
