import type { CodecEngine, JpegCodec } from '../../../application/codecs.port';
import { JpegliJpegCodec } from './jpegli-jpeg.codec';
import { NativePngCodec } from './native-png.codec';
import { SharpJpegCodec } from './sharp-jpeg.codec';

/** The default engine: native codecs, prebuilt for common platforms, and jpegli as WebAssembly. */
export function createNativeEngine(loadJpegli: () => JpegCodec = () => new JpegliJpegCodec()): CodecEngine {
  const png = new NativePngCodec();
  try {
    return { jpeg: loadJpegli(), png };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const notice = `jpegli cannot be loaded; MozJPEG replaces it, which is slower and makes larger files (${reason})`;
    return { jpeg: new SharpJpegCodec(), png, notices: [notice] };
  }
}
