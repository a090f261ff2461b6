/**
 * Files without an end marker (EOI), as interrupted writers leave them. Decoders take them for truncated files, whose rest they
 * fill with grey. Here the scan headers show whether every coefficient has been sent.
 */
import { EOI, isFrameHeader, isProgressiveFrame } from './jpeg-markers';
import { scanHeaders, type JpegFile } from './jpeg-segments';

const COEFFICIENTS = 64;
/** More scans than any encoder writes. */
const MAX_SCANS = 200;
/** The last process whose data are Huffman codes: SOF2. An arithmetic decoder may need bytes after the last ones that are stored. */
const LAST_PROCESS = 0xc2;

/** Returns whether a file lacks only its end marker, as far as its headers tell: its scans send every bit of every coefficient. */
export function lacksOnlyItsEnd(bytes: Uint8Array, file: JpegFile): boolean {
  if (file.hasEndMarker || file.scans > MAX_SCANS) return false;
  const frame = file.segments.find(({ marker }) => isFrameHeader(marker));
  if (!frame || frame.marker > LAST_PROCESS) return false;
  const { payload, marker } = frame;
  const isProgressive = isProgressiveFrame(marker);
  /** Bits that are still missing of each coefficient, by component. */
  const missing = new Map<number, Uint8Array>();
  for (let i = 0; i < payload[5]; i++) missing.set(payload[6 + i * 3], new Uint8Array(COEFFICIENTS).fill(1));
  for (const header of scanHeaders(bytes, file)) {
    const [count] = header;
    const [first, last, bits] = isProgressive ? header.subarray(1 + count * 2) : [0, COEFFICIENTS - 1, 0];
    for (let i = 0; i < count; i++) missing.get(header[1 + i * 2])?.fill(bits & 15, first, last + 1);
  }
  return [...missing.values()].every((coefficients) => coefficients.every((bits) => bits === 0));
}

/** Returns the file with bytes that no decoder looks at after a whole scan, and an end marker, of which a part may be there. */
export function endedWith(jpeg: Uint8Array, filler: Uint8Array): Uint8Array {
  const data = jpeg.subarray(0, jpeg.findLastIndex((byte) => byte !== 0xff) + 1);
  return Buffer.concat([data, filler, Uint8Array.of(0xff, EOI)]);
}
