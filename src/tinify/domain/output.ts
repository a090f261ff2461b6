/** An output: the upload and the result of its compression, which the client can fetch after its request. */
import { createHash, randomBytes } from 'node:crypto';
import type { ResultFormatName } from '../../contract/formats';

/** How long an output can be fetched. */
export const OUTPUT_MS = 3_600_000;

/** 160 random bits: the id is all that a download needs. */
const ID_BYTES = 20;

export interface Output {
  /** SHA-256 of the id in hexadecimal; the id itself is not stored. */
  readonly digest: string;
  readonly accountId: string;
  readonly expiresAt: Date;
  /** Of the result. */
  readonly format: ResultFormatName;
  readonly width: number;
  readonly height: number;
  readonly uploadBytes: number;
  /** 0 when the result is the upload, which is then stored once. */
  readonly resultBytes: number;
}

export type OutputPart = 'upload' | 'result';

export function newOutputId(): string {
  return randomBytes(ID_BYTES).toString('base64url');
}

export function digestOfOutputId(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}
