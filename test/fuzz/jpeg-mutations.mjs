/** Structure-aware mutations of JPEGs, most of which pass the first checks of a decoder. */
import { kindsOfFiles, kindsOfParts, mutated, setByte } from './part-mutations.mjs';

const SOS = 0xda;
const isFrame = (marker) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
const HEADERS = [
  'Exif\0\0',
  'ICC_PROFILE\0\x01\x01',
  'MPF\0',
  'Adobe\0',
  'JFIF\0',
  'http://ns.adobe.com/xap/1.0/\0',
];

/** The segments: marker, payload, declared length, and the data up to the next marker. */
function takeApart(jpeg) {
  const segments = [];
  let at = 2;
  while (at + 4 <= jpeg.length && jpeg[at] === 0xff && jpeg[at + 1] !== 0xd9) {
    const length = jpeg.readUInt16BE(at + 2);
    const marker = jpeg[at + 1];
    let end = at + 2 + length;
    const payload = Buffer.from(jpeg.subarray(at + 4, end));
    const dataStart = end;
    if (marker === SOS) {
      while (
        end + 1 < jpeg.length &&
        !(jpeg[end] === 0xff && jpeg[end + 1] !== 0 && (jpeg[end + 1] & 0xf8) !== 0xd0)
      )
        end++;
    }
    segments.push({ marker, payload, data: Buffer.from(jpeg.subarray(dataStart, end)) });
    at = end;
  }
  return { segments, rest: jpeg.subarray(at + 2) };
}

function putTogether(segments, rest) {
  const pieces = segments.flatMap(({ marker, payload, data, length = payload.length + 2 }) => [
    Buffer.of(0xff, marker & 255, (length >> 8) & 255, length & 255),
    payload,
    data,
  ]);
  return Buffer.concat([Buffer.of(0xff, 0xd8), ...pieces, Buffer.of(0xff, 0xd9), rest]);
}

/** Returns the segments of a kind, or all if there are none. */
const among = (segments, test, part) => {
  const found = segments.filter(test);
  const list = found.length > 0 ? found : segments;
  return list[part % list.length];
};
const scans = ({ marker }) => marker === SOS;

const KINDS = {
  length: (s, { part, value }) => void (s[part % s.length].length = value),
  marker: (s, { part, value }) => void (s[part % s.length].marker = 0xc0 + (value % 64)),
  payload: (s, { part, offset, value }) => setByte(s[part % s.length].payload, offset, value),
  frame: (s, { part, offset, value }) =>
    setByte(among(s, (x) => isFrame(x.marker), part).payload, offset, value),
  size: (s, { part, offset, value }) => {
    const { payload } = among(s, (x) => isFrame(x.marker), part);
    if (payload.length >= 5) payload.writeUInt16BE(value & 0xffff, 1 + (offset % 2) * 2);
  },
  scan: (s, { part, offset, value }) => setByte(among(s, scans, part).payload, offset, value),
  table: (s, { part, offset, value }) =>
    setByte(among(s, (x) => x.marker === 0xc4 || x.marker === 0xdb, part).payload, offset, value),
  metadata: (s, { part, offset, value }) =>
    setByte(among(s, (x) => x.marker >= 0xe0 && x.marker <= 0xef, part).payload, offset, value),
  coded: (s, { part, offset, value }) => setByte(among(s, scans, part).data, offset, value),
  restart: (s, { part, offset, value }) => {
    const { data } = among(s, scans, part);
    if (data.length > 1) data.set([0xff, 0xd0 + (value % 8)], offset % (data.length - 1));
  },
  cutScan: (s, { part, offset }) => {
    const scan = among(s, scans, part);
    scan.data = scan.data.subarray(0, offset % (scan.data.length + 1));
  },
  ...kindsOfParts('payload'),
  insert: (s, { part, offset, value, bytes }) => {
    const payload = Buffer.concat([Buffer.from(HEADERS[offset % HEADERS.length], 'latin1'), bytes]);
    s.splice(part % s.length, 0, { marker: 0xe0 + (value % 16), payload, data: Buffer.alloc(0) });
  },
  restartInterval: (s, { part, value }) => {
    const payload = Buffer.of((value >> 8) & 255, value & 255);
    s.splice(part % s.length, 0, { marker: 0xdd, payload, data: Buffer.alloc(0) });
  },
};

const FILE_KINDS = {
  ...kindsOfFiles(3),
  appendItself: (jpeg, { offset }) => Buffer.concat([jpeg, jpeg.subarray(0, offset % (jpeg.length + 1))]),
};

export const jpegKinds = [...Object.keys(KINDS), ...Object.keys(FILE_KINDS)];

export function mutateJpeg(jpeg, mutations) {
  const { segments, rest } = takeApart(jpeg);
  const format = { kinds: KINDS, fileKinds: FILE_KINDS, putTogether: (parts) => putTogether(parts, rest) };
  return mutated(segments, mutations, format);
}
