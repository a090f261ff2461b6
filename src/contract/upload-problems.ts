/** Problems with an upload. The browser page shows the same sentences before it sends a file. */
import { UPLOADS } from './formats';
import { optionAsField } from './option-problems';
import { Problem } from './problem';
import { mebibytes } from './units';

/** @param formats that the field takes */
export const missingImage = (field = 'image', formats: string = UPLOADS.or) =>
  new Problem('missing_image', `Send a ${formats} file in the field "${field}".`);

export const emptyImage = (field = 'image') =>
  new Problem('missing_image', `The file in the field "${field}" is empty.`, {
    title: 'The image file is empty',
  });

/**
 * @param option the value of a text field that is an option in the wrong place
 * @param fields of files
 */
export const unexpectedField = (name = '', option?: string, fields: readonly string[] = ['image']) =>
  new Problem(
    'unexpected_field',
    `The form may contain only the ${fieldsText(fields)}, not "${name.slice(0, 64)}".${option === undefined ? '' : optionAsField(name, option)}`,
  );

export const tooManyFiles = (fields: readonly string[] = ['image']) =>
  new Problem(
    'too_many_files',
    fields.length > 1
      ? `Send one file in each of the ${fieldsText(fields)}.`
      : `Send one file per request, in the field "${fields[0]}".`,
  );

function fieldsText(fields: readonly string[]): string {
  const names = fields.map((name) => `"${name}"`).join(' and ');
  return fields.length > 1 ? `file fields ${names}` : `file field ${names}`;
}

export const brokenMultipart = () =>
  new Problem('invalid_multipart', 'The multipart body is damaged, truncated, or has no boundary.');

export const tooManyParts = () =>
  new Problem('invalid_multipart', 'The form has too many parts; send one file, in the field "image".');

/** Many services take the image as the body itself. The command has no quotes, which JSON would escape. */
export const notMultipart = () =>
  new Problem(
    'unsupported_media_type',
    `Send the ${UPLOADS.or} as multipart/form-data, in the file field "image", as this command does: curl -H X-API-Key:$KEY -F image=@photo.jpg -o smaller.jpg URL.`,
    { title: 'The body is not multipart/form-data' },
  );

export const encodedBody = () =>
  new Problem('unsupported_media_type', 'Send the body without a Content-Encoding.');

/** @param limit in bytes
 * @param actual in bytes, if known */
export const imageTooLarge = (limit: number, actual?: number) =>
  new Problem('image_too_large', `The file is larger than the limit of ${mebibytes(limit)} MiB.`, {
    limit,
    actual,
  });

export const uploadTooSlow = () =>
  new Problem('request_timeout', 'The upload stalled or was too slow; send it again.');

export const piecesTooSmall = () =>
  new Problem(
    'invalid_request',
    'The body arrives in chunks of a few bytes; send chunks of at least 1 KiB, or a Content-Length.',
  );
