/** Problems of the upload itself, before the image is read: the form, its fields, its size and its speed. */
import { withArticle, type Formats } from './formats';
import { fixedProblem, Problem } from './problem';
import { mebibytes } from './units';

export const missingImage = ({ uploads }: Formats) =>
  new Problem('missing_image', `Send ${withArticle(uploads.or)} file in the field "image".`);

export const imageAsText = ({ uploads }: Formats) =>
  new Problem(
    'missing_image',
    `The field "image" holds text instead of ${withArticle(uploads.or)} file; with curl, put @ before the name: -F image=@photo.jpg.`,
  );

export const emptyImage = fixedProblem('missing_image', 'The file in the field "image" is empty.', {
  title: 'The image file is empty',
});

export const unexpectedField = (name = '') =>
  new Problem(
    'unexpected_field',
    `The form may contain the file field "image" and the options of this service, not "${name.slice(0, 64)}".`,
  );

export const optionAsFile = (name = '') =>
  new Problem('unexpected_field', `Send the option "${name}" as text: as a part without a file name.`);

export const tooManyFiles = fixedProblem(
  'too_many_files',
  'Send one file per request, in the field "image".',
);

export const brokenMultipart = fixedProblem(
  'invalid_multipart',
  'The multipart body is damaged, truncated, or has no boundary.',
);

export const tooManyParts = fixedProblem(
  'invalid_multipart',
  'The form has too many parts; send one file, in the field "image".',
);

/** Many services take the image as the body itself. The command has no quotes, which JSON would escape. */
export const notMultipart = fixedProblem(
  'unsupported_media_type',
  `Send the image as multipart/form-data, in the file field "image", as this command does: curl -H X-API-Key:$KEY -F image=@photo.jpg -o smaller.jpg URL.`,
  { title: 'The body is not multipart/form-data' },
);

export const encodedBody = fixedProblem(
  'unsupported_media_type',
  'Send the body without a Content-Encoding.',
);

/** Sizes are in bytes. */
export const imageTooLarge = (limit: number, actual?: number) =>
  new Problem('image_too_large', `The file is larger than the limit of ${mebibytes(limit)} MiB.`, {
    limit,
    actual,
  });

export const uploadTooSlow = fixedProblem(
  'request_timeout',
  'The upload stalled or was too slow; send it again.',
);

export const piecesTooSmall = fixedProblem(
  'invalid_request',
  'The body arrives in chunks of a few bytes; send chunks of at least 1 KiB, or a Content-Length.',
);
