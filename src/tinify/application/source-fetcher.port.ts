export interface FetchLimits {
  readonly maxBytes: number;
  /** Called with the number of bytes that have arrived; may throw to end the fetch with its error. */
  readonly onBytes: (bytes: number) => void;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
}

/** Fetches images from the hosts that the operator has listed. */
export abstract class SourceFetcher {
  /**
   * Returns the bytes of a JPG or PNG.
   * @throws Problem when the URL may not be fetched, or what it returns is no image within the limits
   */
  abstract fetch(url: string, limits: FetchLimits): Promise<Buffer>;
}
