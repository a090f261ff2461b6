import type { Dimensions } from './dimensions';

/** Why an image is refused. The codes are part of the HTTP contract and stable. */
export type RefusalCode =
  'unsupported_media_type' | 'undecodable_image' | 'too_many_pixels' | 'budget_unreachable';

/**
 * The image is invalid or not accepted; this is not an error of the service. The message is sent to the client: one sentence
 * without paths or texts of libraries.
 */
export class ImageRefused extends Error {
  constructor(
    readonly code: RefusalCode,
    message: string,
    /** The limit and the value that exceeded it, in the unit of the message. */
    readonly numbers: { readonly limit?: number; readonly actual?: number } = {},
  ) {
    super(message);
    this.name = 'ImageRefused';
  }
}

/** Returns the refusal of a file that cannot be decoded for an unknown reason. */
export function undecodable(format: 'JPEG' | 'PNG'): ImageRefused {
  return new ImageRefused(
    'undecodable_image',
    `The ${format} cannot be decoded: it is damaged, truncated or of an unsupported type.`,
  );
}

/** @param maxPixels limit of width × height */
export function tooManyPixels({ width, height }: Dimensions, maxPixels: number): ImageRefused {
  const megapixels = (maxPixels / 1e6).toLocaleString('en');
  return new ImageRefused(
    'too_many_pixels',
    `The image has ${width} x ${height} pixels; the limit is ${megapixels} megapixels.`,
    { limit: maxPixels, actual: width * height },
  );
}

/** @param smallest bytes of the smallest result that may be delivered */
export function budgetUnreachable(maxBytes: number, smallest: number): ImageRefused {
  return new ImageRefused(
    'budget_unreachable',
    `The smallest acceptable result takes ${smallest} bytes, more than the ${maxBytes} asked for.`,
    { limit: maxBytes, actual: smallest },
  );
}
