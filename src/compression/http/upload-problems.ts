/** What can be wrong with an upload, in sentences for the caller; the page says the same before anything is sent. */
import { Problem } from '../../operations/problem';

export function notAnImage(): Problem {
  return new Problem('unsupported_media_type', 'The file is neither a JPG nor a PNG, by its first bytes.');
}

export function missingImage(): Problem {
  return new Problem('missing_image', 'Send a JPG or PNG file in the field "image".');
}

export function emptyImage(): Problem {
  return new Problem('missing_image', 'The file in the field "image" is empty.');
}

export function unexpectedField(name = ''): Problem {
  return new Problem(
    'unexpected_field',
    `Only the file field "image" is read; "${name.slice(0, 64)}" is not.`,
  );
}

export function tooManyFiles(): Problem {
  return new Problem('too_many_files', 'Send one file a request, in the field "image".');
}

export function brokenMultipart(): Problem {
  return new Problem('invalid_multipart', 'The multipart body is damaged, cut off, or has no boundary.');
}

export function imageTooLarge(limit: number, actual?: number): Problem {
  const mebibytes = Math.round((limit / 1024 / 1024) * 100) / 100;
  return new Problem('image_too_large', `The file is larger than the ${mebibytes} MiB accepted here.`, {
    limit,
    ...(actual ? { actual } : {}),
  });
}

export function tooSlow(): Problem {
  return new Problem('request_timeout', 'The upload came to a standstill, or nearly; send it again.');
}
