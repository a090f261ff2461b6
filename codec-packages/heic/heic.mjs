/** HEIC as uploads: HEVC images in the containers of phones and cameras, alone, derived or as grids of tiles. */
import { divideByAlpha, paintAlpha, paintColours } from './colour.mjs';
import { readContainer } from './container.mjs';
import { decodeImage, openLibrary } from './libde265.mjs';
import { Plan, sequenceOf } from './plan.mjs';

/** Whether garbage has the memory of a library, which only a collection frees. */
let hasGarbage = false;

/** @type {import('image-compression-service/codec').FormatCode} */
export const format = {
  dimensions(file) {
    const container = readContainer(file);
    const sequence = sequenceOf(container);
    if (!sequence) return new Plan(container).size;
    const { width, height } = container.items.has(container.primaryId) ? new Plan(container).size : sequence;
    return { width, height, isAnimated: true };
  },

  async decode(file) {
    const container = readContainer(file);
    if (sequenceOf(container)) throw new Error('the file is an image sequence');
    const plan = new Plan(container);
    const { exif, xmp, credentials, removed, image } = plan;
    const { nclx, ...pixels } = decodePixels(plan);
    const cicp = codesOf(image.icc, nclx);
    return {
      ...pixels,
      ...(image.icc && { icc: new Uint8Array(image.icc) }),
      ...(exif && { exif }),
      ...(xmp && { xmp }),
      ...(credentials && { credentials }),
      ...(cicp && { cicp }),
      removed,
      // Nothing says whether HEVC has lost something.
      isLossy: true,
    };
  },

  releaseMemory() {
    const hadGarbage = hasGarbage;
    hasGarbage = false;
    return hadGarbage;
  },
};

function decodePixels({ image, alpha, isPremultiplied, size: { width, height } }) {
  const isGrey = image.chroma === 0 && !isColourProfile(image.icc);
  const channels = (isGrey ? 1 : 3) + (alpha ? 1 : 0);
  const isDeep = image.depth > 8;
  const data = new (isDeep ? Uint16Array : Uint8Array)(width * height * channels);
  const out = { width, height, channels, data, max: isDeep ? 65535 : 255 };
  const library = openLibrary();
  hasGarbage = true;
  let nclx;
  decodeWhole(library, image, (picture) => {
    // The container overrides the coded data.
    nclx = image.nclx ?? picture.nclx;
    paintColours(picture, nclx, image.place, out);
  });
  if (alpha) decodeWhole(library, alpha, (picture) => paintAlpha(picture, alpha.place, out));
  if (isPremultiplied) divideByAlpha(out);
  return { width, height, channels, data, nclx };
}

/** Puts the tiles of a grid together. */
function decodeWhole(library, { width, height, depth, chroma, tiles, isGrid }, use) {
  const checked = (picture) => {
    if (picture.depth !== depth || picture.chroma !== chroma)
      throw new Error('the image is coded in another way than the file states');
    return picture;
  };
  if (!isGrid) return decodeImage(library, tiles[0].read(), (picture) => use(checked(picture)));
  let whole;
  for (const tile of tiles) {
    decodeImage(library, tile.read(), (picture) => {
      const { nclx, planes } = checked(picture);
      whole ??= {
        depth,
        chroma,
        nclx,
        planes: planes.map((_, i) => emptyPlane(i, { width, height, depth, chroma })),
      };
      whole.planes.forEach((plane, i) => copyInto(plane, planes[i], tile, shiftsOf(i, chroma)));
    });
  }
  return use(whole);
}

/** By how many bits a plane is narrower and lower than luma. */
const shiftsOf = (i, chroma) => (i === 0 || chroma === 3 ? [0, 0] : chroma === 2 ? [1, 0] : [1, 1]);

function emptyPlane(i, { width, height, depth, chroma }) {
  const [x, y] = shiftsOf(i, chroma);
  const [stride, rows] = [(width + x) >> x, (height + y) >> y];
  return {
    width: stride,
    height: rows,
    stride,
    data: new (depth > 8 ? Uint16Array : Uint8Array)(stride * rows),
  };
}

/** The last tiles of a row and column may reach beyond the image. */
function copyInto(whole, part, tile, [shiftX, shiftY]) {
  const [left, top] = [tile.left >> shiftX, tile.top >> shiftY];
  const width = Math.min((tile.width + shiftX) >> shiftX, whole.width - left);
  const height = Math.min((tile.height + shiftY) >> shiftY, whole.height - top);
  for (let y = 0; y < height; y++)
    whole.data.set(
      part.data.subarray(y * part.stride, y * part.stride + width),
      (top + y) * whole.stride + left,
    );
}

/** ICC.1, 7.2.8: an RGB profile does not describe grey pixels. */
const isColourProfile = (icc) => icc !== undefined && Buffer.from(icc).toString('latin1', 16, 20) !== 'GRAY';

const [SRGB, UNSPECIFIED, HDR] = [[1, 13], 2, [16, 18]];

/** The codes of colours other than sRGB. A profile says more, except of PQ and HLG. */
function codesOf(icc, nclx) {
  if (icc && !HDR.includes(nclx.transfer)) return undefined;
  const codes = [nclx.primaries, nclx.transfer].map((code, i) => (code === UNSPECIFIED ? SRGB[i] : code));
  return codes.every((code, i) => code === SRGB[i]) ? undefined : codes;
}
