/** What an upload is refused with, in one place: the page says the same before anything has been sent. */
import { Problem } from '../../operations/problem';

/** @param limit bytes accepted; @param actual bytes found, when known. */
export function imageTooLarge(limit: number, actual?: number): Problem {
  const mebibytes = Math.round((limit / 1024 / 1024) * 100) / 100;
  return new Problem('image_too_large', `The file is larger than the ${mebibytes} MiB accepted here.`, {
    limit,
    ...(actual ? { actual } : {}),
  });
}

export function notAnImage(): Problem {
  return new Problem('unsupported_media_type', 'The file is neither a JPG nor a PNG, by its first bytes.');
}

export function emptyImage(): Problem {
  return new Problem('missing_image', 'The file in the field "image" is empty.');
}
