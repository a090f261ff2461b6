// A codec package that writes and reads QOI (https://qoiformat.org) without loss: see docs/adding-a-codec.md.

const END = Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]);
const same = (p, q) => p.every((value, i) => value === q[i]);

/** Yields the pixels of any image as RGBA. */
function* rgbaOf({ channels, data }) {
  for (let i = 0; i < data.length; i += channels) {
    const colour = channels < 3 ? [data[i], data[i], data[i]] : [data[i], data[i + 1], data[i + 2]];
    yield [...colour, channels % 2 === 0 ? data[i + channels - 1] : 255];
  }
}

/** @type {import('image-compression-service/codec').ResultFormat} */
export const format = {
  async encodeLosslessly(pixels) {
    const file = Buffer.alloc(14 + 5 * pixels.width * pixels.height + END.length);
    file.write('qoif', 'latin1');
    file.writeUInt32BE(pixels.width, 4);
    file.writeUInt32BE(pixels.height, 8);
    file[12] = 4;
    let [at, last, run] = [14, [0, 0, 0, 255], 0];
    const endRun = () => {
      if (run > 0) file[at++] = 0xc0 | (run - 1);
      run = 0;
    };
    for (const pixel of rgbaOf(pixels)) {
      if (same(pixel, last)) {
        if (++run === 62) endRun();
        continue;
      }
      endRun();
      file.set([0xff, ...pixel], at);
      at += 5;
      last = pixel;
    }
    endRun();
    file.set(END, at);
    return file.subarray(0, at + END.length);
  },

  async decode(file) {
    const bytes = Buffer.from(file);
    if (bytes.toString('latin1', 0, 4) !== 'qoif') throw new Error('no QOI file');
    const [width, height] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
    const data = new Uint8Array(width * height * 4);
    let last = [0, 0, 0, 255];
    for (let at = 14, to = 0; to < data.length; at++) {
      if (at >= bytes.length - END.length) throw new Error('the file is cut off');
      const isRun = bytes[at] >= 0xc0 && bytes[at] < 0xfe;
      if (bytes[at] === 0xff) last = [...bytes.subarray(at + 1, (at += 4) + 1)];
      else if (!isRun) throw new Error('other encoders write it');
      for (let left = isRun ? (bytes[at] & 63) + 1 : 1; left > 0; left--, to += 4) data.set(last, to);
    }
    return { width, height, channels: 4, data };
  },
};
