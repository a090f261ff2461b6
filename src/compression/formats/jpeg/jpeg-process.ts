/** Detects JPEG coding processes (ITU-T T.81) that few decoders support. */
import { isFrameHeader } from './jpeg-markers';
import { readJpegHead } from './jpeg-segments';

/** Names by frame header code (T.81, table B.1). Baseline, extended and progressive Huffman coding are common and not listed. */
const UNUSUAL_PROCESSES: Readonly<Record<number, string>> = {
  0xc3: 'lossless coding (SOF3)',
  0xc5: 'hierarchical coding (SOF5)',
  0xc6: 'hierarchical coding (SOF6)',
  0xc7: 'hierarchical coding (SOF7)',
  0xc9: 'arithmetic coding (SOF9)',
  0xca: 'arithmetic coding (SOF10)',
  0xcb: 'lossless arithmetic coding (SOF11)',
  0xcd: 'hierarchical arithmetic coding (SOF13)',
  0xce: 'hierarchical arithmetic coding (SOF14)',
  0xcf: 'hierarchical arithmetic coding (SOF15)',
};
const USUAL_BITS = 8;

/** Returns the features that few decoders support, such as `12-bit samples`; undefined if there are none. */
export function unusualFeatures(jpeg: Uint8Array): string | undefined {
  const frame = readJpegHead(jpeg).segments.find(({ marker }) => isFrameHeader(marker));
  if (!frame || frame.payload.length === 0) return undefined;
  const bits = frame.payload[0];
  const features = [
    ...(frame.marker in UNUSUAL_PROCESSES ? [UNUSUAL_PROCESSES[frame.marker]] : []),
    ...(bits === USUAL_BITS ? [] : [`${bits}-bit samples`]),
  ];
  return features.length > 0 ? features.join(' and ') : undefined;
}
