/** Reads the size of the frames of an AV1 image from its sequence header (AV1 bitstream specification, 5.5), which decoders believe. */
import type { Dimensions } from '../../domain/dimensions';

const SEQUENCE_HEADER = 1;

/** @throws Error when there is no sequence header as encoders of still images write it */
export function readAv1Size(data: Uint8Array): Dimensions {
  for (let at = 0; at < data.length;) {
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
    if (type === SEQUENCE_HEADER) return sequenceSize(data.subarray(at, at + length));
    at += length;
  }
  throw new Error('The AVIF has no sequence header.');
}

function sequenceSize(header: Uint8Array): Dimensions {
  let at = 0;
  const bits = (count: number) => {
    let value = 0;
    for (let i = 0; i < count; i++, at++) value = value * 2 + ((header[at >> 3] >> (7 - (at & 7))) & 1);
    return value;
  };
  // The profile, and whether it is a still picture.
  bits(4);
  if (bits(1) === 1) bits(5);
  else readOperatingPoints(bits);
  const [widthBits, heightBits] = [bits(4) + 1, bits(4) + 1];
  const [width, height] = [bits(widthBits) + 1, bits(heightBits) + 1];
  if (at > header.length * 8) throw new RangeError('The sequence header is cut off.');
  return { width, height };
}

function readOperatingPoints(bits: (count: number) => number) {
  if (bits(1) === 1) throw new Error('The AVIF has the timing of a video.');
  const hasDelay = bits(1) === 1;
  for (let left = bits(5) + 1; left > 0; left--) {
    bits(12);
    // Higher levels have a tier.
    if (bits(5) > 7) bits(1);
    if (hasDelay && bits(1) === 1) bits(4);
  }
}
