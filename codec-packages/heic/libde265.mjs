/**
 * libde265, which libheif-js brings. libheif itself is not used: as WebAssembly, it decodes without deblocking and sample adaptive offset,
 * so that photos get visible blocks.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const createLibrary = require('libheif-js/libheif-wasm/libheif.js');

/** Compiled once. */
let compiled;
const needsMoreData = 13;

/** Of one file: the memory of an instance never shrinks, and must hold nothing of another file. */
export function openLibrary() {
  compiled ??= new WebAssembly.Module(readFileSync(require.resolve('libheif-js/libheif-wasm/libheif.wasm')));
  const silent = () => undefined;
  const library = createLibrary({
    print: silent,
    printErr: silent,
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(compiled, imports);
      done(instance, compiled);
      return instance.exports;
    },
  });
  check(library._de265_init());
  return library;
}

/**
 * Decodes the units of one image, and calls `use` with its planes, which are views: of luma, and of blue and red chroma unless it is grey.
 * @throws Error when libde265 cannot, or memory runs out
 */
export function decodeImage(library, units, use) {
  try {
    decode(library, units, use);
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError)) throw error;
    throw new Error('libde265 cannot decode this image: memory may have run out', { cause: error });
  }
}

function decode(library, units, use) {
  const context = library._de265_new_decoder();
  const flag = library._malloc(8);
  try {
    for (const unit of units) {
      const at = library._malloc(unit.length);
      library.HEAPU8.set(unit, at);
      check(library._de265_push_NAL(context, at, unit.length, 0, 0, 0));
      library._free(at);
    }
    check(library._de265_flush_data(context));
    let image = 0;
    do {
      const error = library._de265_decode(context, flag);
      if (error === needsMoreData) break;
      check(error);
      image = library._de265_get_next_picture(context);
    } while (image === 0 && library.HEAP32[flag >> 2] !== 0);
    if (image === 0) throw new Error('libde265 finds no image');
    use(pictureOf(library, image, flag));
  } finally {
    library._free(flag);
    library._de265_free_decoder(context);
  }
}

function pictureOf(library, image, flag) {
  const chroma = library._de265_get_chroma_format(image);
  const depth = library._de265_get_bits_per_pixel(image, 0);
  const planes = (chroma === 0 ? [0] : [0, 1, 2]).map((channel) => {
    const start = library._de265_get_image_plane(image, channel, flag);
    const [width, height] = [
      library._de265_get_image_width(image, channel),
      library._de265_get_image_height(image, channel),
    ];
    const stride = library.HEAP32[flag >> 2];
    const { buffer } = library.HEAPU8;
    if (depth <= 8)
      return { width, height, stride, data: new Uint8Array(buffer, start, stride * (height - 1) + width) };
    return {
      width,
      height,
      stride: stride / 2,
      data: new Uint16Array(buffer, start, (stride / 2) * (height - 1) + width),
    };
  });
  const nclx = {
    primaries: library._de265_get_image_colour_primaries(image),
    transfer: library._de265_get_image_transfer_characteristics(image),
    matrix: library._de265_get_image_matrix_coefficients(image),
    isFull: library._de265_get_image_full_range_flag(image) !== 0,
  };
  return { chroma, depth, planes, nclx };
}

function check(error) {
  if (error !== 0) throw new Error(`libde265 cannot decode this image: error ${error}`);
}
