/** PNG files that cost far more than they weigh, each made in code, each named after its danger. */
const { constants, crc32, deflateRawSync, deflateSync } = require('node:zlib');

const SIGNATURE = Buffer.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const MIB = 1024 * 1024;

/** Big-endian numbers. @type {(...values: number[]) => Buffer} */
const uint32s = (...values) => Buffer.from(Uint32Array.from(values).buffer).swap32();

/** @type {(type: string, data?: Uint8Array) => Buffer} A chunk with its checksum. */
function chunk(type, data = new Uint8Array()) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32s(data.length), body, uint32s(crc32(body))]);
}

/** @type {(...chunks: Uint8Array[]) => Buffer} */
const png = (...chunks) => Buffer.concat([SIGNATURE, ...chunks, chunk('IEND')]);

function header(width, height, { depth = 8, colourType = 2, interlaced = false } = {}) {
  const rest = Buffer.of(depth, colourType, 0, 0, interlaced ? 1 : 0);
  return chunk('IHDR', Buffer.concat([uint32s(width, height), rest]));
}

/** A zlib stream that inflates to this many bytes of zeros, at a thousandth of the size. */
function zeros(bytes) {
  const piece = deflateRawSync(Buffer.alloc(16 * MIB), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const pieces = Array.from({ length: Math.floor(bytes / (16 * MIB)) }, () => piece);
  // Adler-32 of zeros: the first sum stays 1, the second counts them (RFC 1950).
  const checksum = uint32s((bytes % 65_521) * 65_536 + 1);
  const last = deflateRawSync(Buffer.alloc(bytes % (16 * MIB)), { level: 9 });
  return Buffer.concat([Buffer.of(0x78, 0xda), ...pieces, last, checksum]);
}

/** A sound image of 16 x 16 with other chunks in front of its data. @type {(...extra: Uint8Array[]) => Buffer} */
const smallWith = (...extra) =>
  png(header(16, 16), ...extra, chunk('IDAT', deflateSync(Buffer.alloc(16 * 49))));

/** A text, a compressed text and a profile that inflate to this many mebibytes each. @param {number} mebibytes */
function withHugeMetadata(mebibytes) {
  const bomb = zeros(mebibytes * MIB);
  return smallWith(
    chunk('iCCP', Buffer.concat([Buffer.from('p\0\0'), bomb])),
    chunk('zTXt', Buffer.concat([Buffer.from('t\0\0'), bomb])),
    chunk('iTXt', Buffer.concat([Buffer.from('i\0\x01\0\0\0'), bomb])),
  );
}

/** A image of 64 x 64 whose data go on for this many mebibytes. */
function overflowing(mebibytes, interlaced = false) {
  return png(header(64, 64, { interlaced }), chunk('IDAT', zeros(mebibytes * MIB)));
}

const starving = (width, height) =>
  png(header(width, height), chunk('IDAT', deflateSync(Buffer.alloc(1000))));

/** First column and row of Adam7's passes, and the steps from there (W3C PNG, 8.1). */
const ADAM7 = ['0088', '4088', '0448', '2044', '0224', '1022', '0112'].map((pass) => [...pass].map(Number));

function flatPng(width, height, kind = {}) {
  const { depth = 8, colourType = 2, interlaced = false } = kind;
  const samples = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[colourType];
  const passes = (interlaced ? ADAM7 : [[0, 0, 1, 1]]).map(([left, top, stepX, stepY]) => {
    const columns = Math.ceil((width - left) / stepX);
    const rows = Math.ceil((height - top) / stepY);
    return columns > 0 && rows > 0 ? rows * (1 + Math.ceil((columns * samples * depth) / 8)) : 0;
  });
  const bytes = passes.reduce((sum, length) => sum + length, 0);
  return png(header(width, height, kind), chunk('IDAT', zeros(bytes)));
}

function ofManyChunks(count, type) {
  return smallWith(Buffer.alloc(count * 12, chunk(type)));
}

function inCrumbs(side) {
  const data = deflateSync(Buffer.alloc(side * (side * 3 + 1), 7), { level: 0 });
  return png(header(side, side), ...Array.from(data, (byte) => chunk('IDAT', Buffer.of(byte))));
}

/** An animation that says it has this many frames, of this size, all of them the same few bytes. */
function deepAnimation(frames, width, height) {
  const still = flatPng(width, height);
  const data = still.subarray(8 + 25 + 8, still.length - 12 - 4);
  // A 25th of a second each.
  const frame = (sequence) =>
    chunk('fcTL', Buffer.concat([uint32s(sequence, width, height, 0, 0), Buffer.of(0, 1, 0, 25, 0, 0)]));
  const numbered = (sequence) => chunk('fdAT', Buffer.concat([uint32s(sequence), data]));
  const rest = Array.from({ length: frames - 1 }, (_, i) => [frame(1 + i * 2), numbered(2 + i * 2)]).flat();
  return png(
    header(width, height),
    chunk('acTL', uint32s(frames, 0)),
    frame(0),
    chunk('IDAT', data),
    ...rest,
  );
}

module.exports = {
  uint32s,
  chunk,
  png,
  header,
  zeros,
  smallWith,
  withHugeMetadata,
  overflowing,
  starving,
  flatPng,
  ofManyChunks,
  inCrumbs,
  deepAnimation,
};
