/** The thread of libjxl, which wasm-vips brings. */
import { parentPort } from 'node:worker_threads';
import Vips from 'wasm-vips';

const vips = await Vips({ dynamicLibraries: ['vips-jxl.wasm'] });
// Each worker of the service has one core.
vips.concurrency(1);
vips.Cache.max(0);

parentPort.on('message', (message) => {
  try {
    const result = message.kind === 'encode' ? encode(message) : decode(message);
    const { buffer } = result.data ?? result;
    parentPort.postMessage({ result }, buffer instanceof ArrayBuffer ? [buffer] : []);
  } catch {
    // C++ exceptions have no text here.
    parentPort.postMessage({ error: `libjxl cannot ${message.kind} this image` });
  }
});

function encode({ pixels: { width, height, channels, data }, options, icc }) {
  const raw = vips.Image.newFromMemory(data, width, height, channels, 'uchar');
  const image = raw.copy({ interpretation: channels < 3 ? 'b-w' : 'srgb' });
  try {
    if (icc) image.setBlob('icc-profile-data', icc);
    return image.jxlsaveBuffer({ ...options, keep: icc ? 'icc' : 'none' });
  } finally {
    image.delete();
    raw.delete();
  }
}

function decode({ file, maxPixels }) {
  const image = vips.Image.jxlloadBuffer(file);
  try {
    const { width, height, bands: channels, format } = image;
    const frames = image.getTypeof('n-pages') === 0 ? 1 : image.getInt('n-pages');
    if (width * height > maxPixels || frames > 1 || !['uchar', 'ushort'].includes(format))
      throw new Error('an image of another kind');
    const hasProfile = image.getTypeof('icc-profile-data') !== 0;
    // The blob is a view of memory that the image frees.
    const icc = hasProfile ? image.getBlob('icc-profile-data').slice() : undefined;
    return { width, height, channels, data: image.writeToMemory(), icc };
  } finally {
    image.delete();
  }
}
