/** A result format as docs/adding-a-codec.md builds it: QOI (https://qoiformat.org), which codes pixels without loss. */
const MAGIC = 'qoif';
const END = Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]);
const hash = ([r, g, b, a]) => (r * 3 + g * 5 + b * 7 + a * 11) % 64;
const same = (p, q) => p.every((value, i) => value === q[i]);

/** Any pixels as RGBA, one after the other. */
function* rgbaOf({ channels, data }) {
  for (let i = 0; i < data.length; i += channels) {
    const colour = channels < 3 ? [data[i], data[i], data[i]] : [data[i], data[i + 1], data[i + 2]];
    yield [...colour, channels % 2 === 0 ? data[i + channels - 1] : 255];
  }
}

function encode(pixels) {
  const header = Buffer.alloc(14);
  header.write(MAGIC, 'latin1');
  header.writeUInt32BE(pixels.width, 4);
  header.writeUInt32BE(pixels.height, 8);
  header[12] = 4;
  const bytes = [];
  const seen = Array.from({ length: 64 }, () => [0, 0, 0, 0]);
  let last = [0, 0, 0, 255];
  let run = 0;
  const endRun = () => {
    if (run > 0) bytes.push(0xc0 | (run - 1));
    run = 0;
  };
  for (const pixel of rgbaOf(pixels)) {
    if (same(pixel, last)) {
      if (++run === 62) endRun();
      continue;
    }
    endRun();
    const at = hash(pixel);
    if (same(pixel, seen[at])) bytes.push(at);
    else bytes.push(0xff, ...pixel);
    seen[at] = pixel;
    last = pixel;
  }
  endRun();
  return Buffer.concat([header, Buffer.from(bytes), END]);
}

function decode(qoi) {
  const bytes = Buffer.from(qoi);
  const [width, height] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  const data = new Uint8Array(width * height * 4);
  const seen = Array.from({ length: 64 }, () => [0, 0, 0, 0]);
  let last = [0, 0, 0, 255];
  for (let at = 14, to = 0; to < data.length; at++) {
    const isRun = bytes[at] >= 0xc0 && bytes[at] < 0xfe;
    if (bytes[at] === 0xff) last = [...bytes.subarray(at + 1, (at += 4) + 1)];
    else if (!isRun) last = seen[bytes[at]];
    seen[hash(last)] = last;
    for (let left = isRun ? (bytes[at] & 63) + 1 : 1; left > 0; left--, to += 4) data.set(last, to);
  }
  return { width, height, channels: 4, data };
}

exports.decode = decode;
exports.format = {
  name: 'qoi',
  label: 'QOI',
  mediaType: 'image/qoi',
  extensions: ['qoi'],
  maxSidePx: 2 ** 16,
  hasAlpha: true,
  lossy: [],
  encodeLosslessly: (pixels) => Promise.resolve(encode(pixels)),
  decode: (file) => Promise.resolve(decode(file)),
};
