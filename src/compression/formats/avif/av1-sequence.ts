/** Reads the sequence header of an AV1 image (AV1 bitstream specification, 5.5), which decoders believe. */
import type { Dimensions } from '../../domain/dimensions';

const SEQUENCE_HEADER = 1;
/** Units before it: encoders write one at most. */
const MAX_UNITS = 16;
/** A value of seq_force_screen_content_tools. */
const SELECTED = 2;
/** Codes of ITU-T H.273. */
export const UNSPECIFIED = 2;
const BT709 = 1;
const SRGB = 13;
const IDENTITY = 0;

export interface Av1Sequence extends Dimensions {
  /** Bits per sample: 8, 10 or 12. */
  readonly bitDepth: number;
  /** Whether it has luma only. */
  readonly isMonochrome: boolean;
  /** Whether black is 16 of 255 and white 235, as in video. */
  readonly isLimited: boolean;
  /** Codes of ITU-T H.273; 2 is unspecified. */
  readonly primaries: number;
  readonly transfer: number;
}

/** @throws Error when there is no sequence header as encoders of still images write it */
export function readAv1Sequence(data: Uint8Array): Av1Sequence {
  for (let at = 0, units = 0; at < data.length && units <= MAX_UNITS; units++) {
    const type = (data[at] >> 3) & 15;
    const hasExtension = (data[at] & 4) !== 0;
    const hasSize = (data[at] & 2) !== 0;
    at += hasExtension ? 2 : 1;
    let length = hasSize ? 0 : data.length - at;
    for (let shift = 0; hasSize && at < data.length && shift < 28; shift += 7) {
      const byte = data[at++];
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    if (type === SEQUENCE_HEADER) return parse(data.subarray(at, at + length));
    at += length;
  }
  throw new Error('The AVIF has no sequence header.');
}

function parse(header: Uint8Array): Av1Sequence {
  let at = 0;
  const bits = (count: number) => {
    let value = 0;
    for (let i = 0; i < count; i++, at++) value = value * 2 + ((header[at >> 3] >> (7 - (at & 7))) & 1);
    return value;
  };
  const profile = bits(3);
  // Whether it is a still picture.
  bits(1);
  const isReduced = bits(1) === 1;
  if (isReduced) bits(5);
  else readOperatingPoints(bits);
  const [widthBits, heightBits] = [bits(4) + 1, bits(4) + 1];
  const [width, height] = [bits(widthBits) + 1, bits(heightBits) + 1];
  // The lengths of frame ids.
  if (!isReduced && bits(1) === 1) bits(7);
  // Superblocks and intra prediction.
  bits(3);
  if (!isReduced) readInterTools(bits);
  // Super-resolution, CDEF and restoration.
  bits(3);
  const colours = readColours(bits, profile);
  if (at > header.length * 8) throw new RangeError('The sequence header is cut off.');
  return { width, height, ...colours };
}

type Bits = (count: number) => number;

function readInterTools(bits: Bits) {
  bits(4);
  const hasOrder = bits(1) === 1;
  if (hasOrder) bits(2);
  const screenTools = bits(1) === 1 ? SELECTED : bits(1);
  if (screenTools > 0 && bits(1) === 0) bits(1);
  if (hasOrder) bits(3);
}

/** The colour configuration (5.5.2). */
function readColours(bits: Bits, profile: number): Omit<Av1Sequence, keyof Dimensions> {
  const isHigh = bits(1) === 1;
  const bitDepth = !isHigh ? 8 : profile === 2 && bits(1) === 1 ? 12 : 10;
  const isMonochrome = profile !== 1 && bits(1) === 1;
  const isDescribed = bits(1) === 1;
  const code = () => (isDescribed ? bits(8) : UNSPECIFIED);
  const [primaries, transfer, matrix] = [code(), code(), code()];
  const isRgb = primaries === BT709 && transfer === SRGB && matrix === IDENTITY;
  const isLimited = !(isRgb && !isMonochrome) && bits(1) === 0;
  return { bitDepth, isMonochrome, isLimited, primaries, transfer };
}

function readOperatingPoints(bits: Bits) {
  if (bits(1) === 1) throw new Error('The AVIF has the timing of a video.');
  const hasDelay = bits(1) === 1;
  for (let left = bits(5) + 1; left > 0; left--) {
    bits(12);
    // Higher levels have a tier.
    if (bits(5) > 7) bits(1);
    if (hasDelay && bits(1) === 1) bits(4);
  }
}
