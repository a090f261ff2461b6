/** All bombs, made one at a time: the largest weigh 20 MB and take seconds to make. */
const sharp = require('sharp');
const jpeg = require('./jpeg-bombs.cjs');
const png = require('./png-bombs.cjs');

const MIB = 1024 * 1024;

/** @type {Readonly<Record<string, () => Uint8Array | Promise<Uint8Array>>>} */
const BOMBS = {
  'jpeg that declares 65500 x 65500': () => jpeg.declaring(65_500, 65_500),
  'jpeg of 883 scans, 6000 x 6000': () => jpeg.ofManyScans(6_000, 6_000, 883),
  'jpeg of 400 scans, 3840 x 3840': () => jpeg.ofManyScans(3_840, 3_840, 400),
  'jpeg of 883 scans, 600 x 600': () => jpeg.ofManyScans(600, 600, 883),
  'jpeg of 20 scans, 16000 x 16000': () => jpeg.ofManyScans(16_000, 16_000, 20),
  'jpeg of nothing but empty segments, 19 MB': () => jpeg.ofNothingBut(19 * MIB, 0xe5, []),
  'jpeg of nothing but fill bytes, 19 MB': () => Buffer.alloc(19 * MIB, 0xff).fill(0xd8, 1, 2),
  'jpeg with a profile of 16.7 MB': () => jpeg.withHugeProfile(),
  'jpeg of restart markers, 16000 x 16000': () => jpeg.ofRestartMarkers(16_000, 16_000, 5 * MIB),
  'jpeg of noise, 16000 x 16000': () => jpeg.ofNoise(16_000, 16_000, 5 * MIB),
  'jpeg of noise, 3840 x 3840': () => jpeg.ofNoise(3_840, 3_840, 19 * MIB),
  'png that declares 2147483647 x 2147483647': () => png.starving(2 ** 31 - 1, 2 ** 31 - 1),
  'png with text and profile of 4 GB': () => png.withHugeMetadata(4096),
  'png of 64 x 64 with 4 GB of data': () => png.overflowing(4096),
  'png of 64 x 64 with 4 GB of data, interlaced': () => png.overflowing(4096, true),
  'png of 16000 x 16000 with next to no data': () => png.starving(16_000, 16_000),
  'png of 16000 x 16000, flat': () => png.flatPng(16_000, 16_000),
  'png of 16000 x 16000, flat, RGBA of 16 bits': () =>
    png.flatPng(16_000, 16_000, { depth: 16, colourType: 6 }),
  'png of 16000 x 16000, flat, interlaced': () => png.flatPng(16_000, 16_000, { interlaced: true }),
  'png of 16000 x 16000, flat, interlaced, RGBA of 16 bits': () =>
    png.flatPng(16_000, 16_000, { depth: 16, colourType: 6, interlaced: true }),
  'png of 99000 empty text chunks': () => png.ofManyChunks(99_000, 'tEXt'),
  'png of 1.6 million chunks': () => png.ofManyChunks(1_600_000, 'tEXt'),
  'png of 90000 data chunks of a byte': () => png.inCrumbs(170),
  'apng of 300 frames, 4000 x 4000': () => png.deepAnimation(300, 4_000, 4_000),
  'photo of 120 megapixels, baseline': () => largePhoto({}),
  'photo of 120 megapixels, progressive': () => largePhoto({ progressive: true }),
  'photo of 120 megapixels, progressive, 4:4:4': () =>
    largePhoto({ progressive: true, chromaSubsampling: '4:4:4' }),
  'photo of 120 megapixels, on its side': () => largePhoto({}, 6),
  'photo of 120 megapixels, CMYK': () => largePhoto({}, 1, 'cmyk'),
  'graphic of 120 megapixels, png': () => largeGraphic(),
  'graphic of 120 megapixels, png, on its side': () => largeGraphic(6),
};

/** @returns {AsyncGenerator<{ name: string, bytes: Uint8Array }>} */
async function* bombs() {
  for (const [name, make] of Object.entries(BOMBS)) yield { name, bytes: await make() };
}

/** A photo of 12000 x 10000 without noise, under 20 MB: waves, enlarged. */
function largePhoto(options, orientation = 1, colourspace = 'srgb', width = 12_000) {
  return waves(width)
    .toColourspace(colourspace)
    .withMetadata({ orientation })
    .jpeg({ quality: 85, ...options })
    .toBuffer();
}

function largeGraphic(orientation = 1, isInterlaced = false, width = 12_000) {
  const options = { compressionLevel: 6, progressive: isInterlaced };
  return waves(width, 60).withMetadata({ orientation }).png(options).toBuffer();
}

/** @param {number} fullWidth of an image of 6:5 */
function waves(fullWidth, step = 1) {
  const [width, height] = [1200, 1000];
  const data = Buffer.alloc(width * height * 3);
  // Globals are slow in the modules of a test.
  const { round, sin } = Math;
  for (let y = 0, p = 0; y < height; y++) {
    for (let x = 0; x < width; x++, p += 3) {
      const value = 128 + sin(x / 9) * 50 + sin((x + y * 2) / 23) * 60;
      data[p] = (x / width) * 255;
      data[p + 1] = data[p + 2] = round(value / step) * step;
    }
  }
  return sharp(data, { raw: { width, height, channels: 3 } }).resize(fullWidth, (fullWidth / 6) * 5, {
    kernel: step === 1 ? 'linear' : 'nearest',
  });
}

module.exports = { bombs, largePhoto, largeGraphic };
