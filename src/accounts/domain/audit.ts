/** The audit trail: who changed an account or its keys, and when. It holds no key, no e-mail address and no image. */

export type AuditEvent =
  | 'account_created'
  | 'account_suspended'
  | 'account_resumed'
  | 'key_created'
  | 'key_revoked'
  | 'quota_changed';

/** Who makes a change. */
export interface Actor {
  /** `visitor` for a sign-up, `key:ID` for a client, `user:NAME` for the command line, `first-start` for the operator's account. */
  readonly by: string;
  /** The client's IP address. It is stored, and not logged. */
  readonly address?: string;
}

export interface AuditEntry extends Actor {
  readonly at: Date;
  readonly event: AuditEvent;
  readonly accountId: string;
  /** The key that was created or revoked. */
  readonly keyId?: string;
  /** The quota before and after: `default to 5000`. */
  readonly detail?: string;
}
