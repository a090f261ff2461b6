/** Why an image cannot be accepted; part of the HTTP contract, so the words are stable. */
export type RefusalCode = 'unsupported_media_type' | 'undecodable_image' | 'too_many_pixels';

/**
 * The caller's image is at fault, not the service. The message is meant for the caller: one sentence,
 * no path, no library text.
 */
export class ImageRefused extends Error {
  constructor(
    readonly code: RefusalCode,
    message: string,
    /** Where numbers help: what was allowed and what was found, in the unit that the message names. */
    readonly numbers: { readonly limit?: number; readonly actual?: number } = {},
  ) {
    super(message);
    this.name = 'ImageRefused';
  }
}
