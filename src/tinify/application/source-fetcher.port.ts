export interface FetchLimits {
  /** Bytes of the image. A longer response ends the fetch. */
  readonly maxBytes: number;
  /** Called with the number of bytes that have arrived; may throw to end the fetch with its error. */
  readonly onBytes: (bytes: number) => void;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

/** Fetches images from the hosts that the operator has listed. */
export abstract class SourceFetcher {
  /**
   * Returns the bytes of a JPG or PNG.
   * @param url absolute; http or https
   * @throws Problem when the URL may not be fetched, or does not return an image within the limits
   */
  abstract fetch(url: string, limits: FetchLimits): Promise<Buffer>;
}
