/** Files without an end marker (EOI), as interrupted writers leave them; decoders fill the missing part with grey. */
import { uint16 } from '../bytes';
import {
  DRI,
  EOI,
  SOS,
  findFrame,
  isProgressiveFrame,
  laterSegments,
  type JpegFile,
  type LocatedSegment,
} from './jpeg-segments';

const BLOCK = 8;
const COEFFICIENTS = BLOCK * BLOCK;
const MAX_SEGMENTS = 1000;
/** The last Huffman-coded process: SOF2. An arithmetic decoder may need bytes after the last stored ones. */
const LAST_PROCESS = 0xc2;

export function lacksOnlyItsEnd(bytes: Uint8Array, file: JpegFile): boolean {
  if (file.scans === 0) return false;
  const frame = findFrame(file.segments);
  if (!frame || frame.marker > LAST_PROCESS) return false;
  const later: LocatedSegment[] = [];
  for (const segment of laterSegments(bytes, file)) if (later.push(segment) > MAX_SEGMENTS) return false;
  const scans = later.filter(({ marker }) => marker === SOS);
  const [last] = scans.slice(-1);
  const restarts = [...file.segments, ...later].filter(
    ({ marker, start }) => marker === DRI && start < last.start,
  );
  const interval = uint16(restarts.at(-1)?.payload ?? new Uint8Array(2), 0) ?? 0;
  const isRestarted =
    interval === 0 ||
    restartsIn(bytes.subarray(last.end)) >= Math.ceil(countUnits(last, frame) / interval) - 1;
  return isRestarted && sendsEverything(scans, frame);
}

function sendsEverything(scans: readonly LocatedSegment[], { marker, payload }: LocatedSegment) {
  const isProgressive = isProgressiveFrame(marker);
  const missing = new Map<number, Uint8Array>();
  for (let i = 0; i < payload[5]; i++) missing.set(payload[6 + i * 3], new Uint8Array(COEFFICIENTS).fill(1));
  for (const { payload: header } of scans) {
    const [count] = header;
    const [first, last, bits] = isProgressive ? header.subarray(1 + count * 2) : [0, COEFFICIENTS - 1, 0];
    for (let i = 0; i < count; i++) missing.get(header[1 + i * 2])?.fill(bits & 15, first, last + 1);
  }
  return [...missing.values()].every((coefficients) => coefficients.every((bits) => bits === 0));
}

/** Returns the number of restart markers. A scan truncated before one looks the same whatever follows. */
function restartsIn(scan: Uint8Array) {
  let count = 0;
  for (let at = scan.indexOf(0xff); at >= 0; at = scan.indexOf(0xff, at + 1)) {
    if (scan[at + 1] >= 0xd0 && scan[at + 1] <= 0xd7) count++;
  }
  return count;
}

/** Returns the number of units (MCU) of a scan (ITU-T T.81 A.2): blocks of one component, or groups of blocks of several. */
function countUnits({ payload: header }: LocatedSegment, { payload }: LocatedSegment) {
  const [height, width] = [uint16(payload, 1) ?? 0, uint16(payload, 3) ?? 0];
  const components = Array.from({ length: payload[5] }, (_, i) => ({
    id: payload[6 + i * 3],
    across: payload[7 + i * 3] >> 4,
    down: payload[7 + i * 3] & 15,
  }));
  const most = {
    across: Math.max(...components.map(({ across }) => across)),
    down: Math.max(...components.map(({ down }) => down)),
  };
  const only = header[0] === 1 ? components.find(({ id }) => id === header[1]) : undefined;
  const count = (side: number, own: number, all: number) =>
    only ? Math.ceil(Math.ceil((side * own) / all) / BLOCK) : Math.ceil(side / (BLOCK * all));
  return count(width, only?.across ?? 1, most.across) * count(height, only?.down ?? 1, most.down);
}

/** Trailing zeros that are padding of disks and downloads; a scan may end with a few. */
const PADDING_ZEROS = 8;

/** Returns the file up to its coded data, without padding and without the first byte of the end marker. */
export function withoutPadding(jpeg: Uint8Array): Uint8Array {
  const data = jpeg.subarray(0, jpeg.findLastIndex((byte) => byte !== 0) + 1);
  const kept = jpeg.length - data.length < PADDING_ZEROS ? jpeg : data;
  return kept.subarray(0, kept.findLastIndex((byte) => byte !== 0xff) + 1);
}

export function continued(data: Uint8Array, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([data, bytes, Uint8Array.of(0xff, EOI)]);
}
