/** Who sent a request. Guards set it, everything after them reads it. */

/** Whose share of queue, workers and memory an image takes: that of its network, and there that of its account. */
export interface Sharer {
  /** The account alone if absent. */
  readonly network?: string;
  /** Absent before the credentials, and for the service itself and the command line. */
  readonly account?: string;
}

/** The account and the key of a request, once both were checked. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  /** Counts as the account where images share. Trials are free, so those of one network are one. */
  readonly shareKey: string;
  /** Whether each image is taken off a trial. */
  readonly isTrial: boolean;
  /** Whether no limit of images a minute applies: true for the operator's account. */
  readonly isUnlimited?: boolean;
  /** In place of an e-mail address, for an account of the configuration. It is stored when it is used. */
  readonly name?: string;
}
