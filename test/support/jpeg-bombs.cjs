/** JPEG files that cost far more than they weigh, each made in code, each named after its danger. */
const sharp = require('sharp');

/** @type {(marker: number, payload: Uint8Array) => Buffer} A marker segment. */
const segment = (marker, payload) =>
  Buffer.concat([Buffer.of(0xff, marker, (payload.length + 2) >> 8, (payload.length + 2) & 255), payload]);

function flatJpeg(width, height, options = {}) {
  return sharp({
    create: { width, height, channels: 3, background: '#808080' },
    limitInputPixels: false,
  })
    .jpeg(options)
    .toBuffer();
}

/** A small file whose header declares this size. */
async function declaring(width, height) {
  const jpeg = await flatJpeg(16, 16);
  const frame = jpeg.indexOf(Buffer.of(0xff, 0xc0));
  jpeg.writeUInt16BE(height, frame + 5);
  jpeg.writeUInt16BE(width, frame + 7);
  return jpeg;
}

/** A grey progressive image of up to 883 scans (1 + 63 x 14), each of some bytes and a walk over all blocks. */
function ofManyScans(width, height, scans) {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const frame = Buffer.of(8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0);
  /** One code of one bit: no difference, or 2^14 and more blocks without coefficients. */
  const huffman = (kind, symbol) =>
    segment(0xc4, Buffer.of(kind, 1, ...Array.from({ length: 15 }, () => 0), symbol));
  const scan = (from, to, bits, coded) =>
    Buffer.concat([segment(0xda, Buffer.of(1, 1, 0, from, to, bits)), Buffer.alloc(coded)]);
  const pieces = [
    segment(0xdb, Buffer.of(0, ...Array.from({ length: 64 }, () => 1))),
    segment(0xc2, frame),
    huffman(0x00, 0),
    huffman(0x10, 0xe0),
    scan(0, 0, 0, Math.ceil(blocks / 8)),
  ];
  const runs = Math.ceil((Math.ceil(blocks / 2 ** 14) * 15) / 8);
  for (let n = 1; n < scans; n++) {
    const frequency = 1 + ((n - 1) % 63);
    const pass = Math.floor((n - 1) / 63);
    pieces.push(scan(frequency, frequency, pass === 0 ? 13 : ((14 - pass) << 4) | (13 - pass), runs));
  }
  return Buffer.concat([Buffer.of(0xff, 0xd8), ...pieces, Buffer.of(0xff, 0xd9)]);
}

/** Nothing but one segment, over and over, up to a size. */
function ofNothingBut(bytes, marker, payload) {
  return Buffer.concat([
    Buffer.of(0xff, 0xd8),
    Buffer.alloc(bytes - 2, segment(marker, Buffer.from(payload))),
  ]);
}

/** The largest colour profile that a JPEG can carry (255 segments, 16.7 MB), in front of a image of 16 x 16. */
async function withHugeProfile() {
  const jpeg = await flatJpeg(16, 16);
  const segments = Array.from({ length: 255 }, (_, i) =>
    segment(
      0xe2,
      Buffer.concat([Buffer.from('ICC_PROFILE\0'), Buffer.of(i + 1, 255), Buffer.alloc(65_519, i)]),
    ),
  );
  return Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);
}

/** A frame header of this size, valid tables, and then restart markers instead of a picture. */
async function ofRestartMarkers(width, height, bytes) {
  const jpeg = await declaring(width, height);
  const scan = jpeg.indexOf(Buffer.of(0xff, 0xda));
  const header = scan + 2 + jpeg.readUInt16BE(scan + 2);
  const markers = Buffer.from(Array.from({ length: 8 }, (_, i) => [0xff, 0xd0 + i]).flat());
  return Buffer.concat([
    jpeg.subarray(0, scan),
    segment(0xdd, Buffer.of(0, 1)),
    jpeg.subarray(scan, header),
    Buffer.alloc(bytes, markers),
    Buffer.of(0xff, 0xd9),
  ]);
}

/** Valid headers of this size, and then noise instead of a picture. */
async function ofNoise(width, height, bytes) {
  const jpeg = await declaring(width, height);
  const scan = jpeg.indexOf(Buffer.of(0xff, 0xda));
  const header = scan + 2 + jpeg.readUInt16BE(scan + 2);
  let state = 1;
  const noise = Buffer.alloc(bytes);
  for (let i = 0; i < bytes; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    noise[i] = (state >>> 24) % 255;
  }
  return Buffer.concat([jpeg.subarray(0, header), noise, Buffer.of(0xff, 0xd9)]);
}

module.exports = {
  segment,
  flatJpeg,
  declaring,
  ofManyScans,
  ofNothingBut,
  withHugeProfile,
  ofRestartMarkers,
  ofNoise,
};
