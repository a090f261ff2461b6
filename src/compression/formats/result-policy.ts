/**
 * The marker of results in PNG, WebP and AVIF: the policy, and a checksum of all that determines the pixels. JPGs have one of their own, a
 * readable comment.
 *
 * 9 bytes, big-endian: 0, the target in millionths, the checksum; then the density in tenths if it is not 1. Earlier releases wrote
 * another first byte for results with fewer losses.
 */
import { uint32s } from './bytes';
import type { EmbeddedBlocks } from './embedded-blocks';
import { QUALITY_TARGETS, storedMillionths, type CompressionPolicy } from '../domain/compression-policy';
import { isMadeFor } from '../domain/score/as-seen';

const LENGTH = 9;
const LENGTHS = [LENGTH, LENGTH + 1];
const MILLION = 1e6;

/** What was asked of a result. */
export type ResultPolicy = Pick<CompressionPolicy, 'targetScore' | 'density'>;

/** Whether a file with this marker, if it has one, needs no further encode for what is asked now. */
export function isResultFor(made: ResultPolicy | undefined, asked: ResultPolicy): boolean {
  return (
    made !== undefined && made.targetScore <= asked.targetScore && isMadeFor(made.density, asked.density)
  );
}

/** What changes in a copy of a file with the same coded image; what is absent stays. */
export interface Rewriting {
  /** The metadata. */
  readonly blocks?: EmbeddedBlocks;
  /** What was asked of it, by which it is recognised when it is sent again; null removes that. */
  readonly made?: ResultPolicy | null;
}

/** @param checksum CRC-32 of the coded image */
export function writeResultPolicy({ targetScore, density }: ResultPolicy, checksum: number): Uint8Array {
  const tenths = density === 1 ? [] : [Math.round(density * 10)];
  return Buffer.of(0, ...uint32s(storedMillionths(targetScore), checksum), ...tenths);
}

/** Returns undefined if there is no marker or it is of another image. */
export function readResultPolicy(marker: Uint8Array | undefined, checksum: number): ResultPolicy | undefined {
  const data = Buffer.from(marker ?? []);
  if (!LENGTHS.includes(data.length) || data.readUInt32BE(5) !== checksum) return undefined;
  const density = data.length === LENGTH ? 1 : data.readUInt8(LENGTH) / 10;
  const targetScore = data[0] === 0 ? data.readUInt32BE(1) / MILLION : QUALITY_TARGETS.lossless;
  return { targetScore, density };
}
