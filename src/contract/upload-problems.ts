/** Problems with an upload. The browser page shows the same sentences before it sends a file. */
import { Problem } from './problem';
import { mebibytes } from './units';

export const notAnImage = () =>
  new Problem('unsupported_media_type', 'The file is neither a JPG nor a PNG, judging by its first bytes.');

export const missingImage = () =>
  new Problem('missing_image', 'Send a JPG or PNG file in the field "image".');

export const emptyImage = () =>
  new Problem('missing_image', 'The file in the field "image" is empty.', {
    title: 'The image file is empty',
  });

export const unexpectedField = (name = '') =>
  new Problem(
    'unexpected_field',
    `The form may contain only the file field "image", not "${name.slice(0, 64)}".`,
  );

export const tooManyFiles = () =>
  new Problem('too_many_files', 'Send one file per request, in the field "image".');

export const brokenMultipart = () =>
  new Problem('invalid_multipart', 'The multipart body is damaged, truncated, or has no boundary.');

export const tooManyParts = () =>
  new Problem('invalid_multipart', 'The form has too many parts; send one file, in the field "image".');

export const notMultipart = () =>
  new Problem(
    'unsupported_media_type',
    'Send the JPG or PNG as multipart/form-data, in the file field "image".',
    { title: 'The body is not multipart/form-data' },
  );

export const encodedBody = () =>
  new Problem('unsupported_media_type', 'Send the body without a Content-Encoding.');

/** @param limit in bytes
 * @param actual in bytes, if known */
export const imageTooLarge = (limit: number, actual?: number) =>
  new Problem('image_too_large', `The file is larger than the limit of ${mebibytes(limit)} MiB.`, {
    limit,
    ...(actual ? { actual } : {}),
  });

export const uploadTooSlow = () =>
  new Problem('request_timeout', 'The upload stalled or was too slow; send it again.');

/** A scaled-down image can be much larger than its upload. Sizes are in bytes. */
export const resultTooLarge = (maxDimensionPx: number, limit: number, actual: number) =>
  new Problem(
    'too_many_pixels',
    `Scaled down to ${maxDimensionPx} px, the image takes ${actual} bytes, more than the limit of ${limit}. Scale it down before you upload it, or send a JPG.`,
    { limit, actual },
  );
