/** Who sent a request. Guards set it, everything after them reads it. */

/** The account and the key of a request, once both were checked. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  /** Whose share of queue, workers and memory its images take. Trials are free, so those of one address share one. */
  readonly shareKey: string;
  /** Whether each image is taken off a trial. */
  readonly isTrial: boolean;
  /** Whether no limit of images a minute applies: true for the operator's account. */
  readonly isUnlimited?: boolean;
  /** In place of an e-mail address, for an account of the configuration. It is stored when it is used. */
  readonly name?: string;
}
