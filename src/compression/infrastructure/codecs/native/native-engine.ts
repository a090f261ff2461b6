import type { CodecEngine } from '../../../application/codecs.port';
import { NativePngCodec } from './native-png.codec';
import { SharpJpegCodec } from './sharp-jpeg.codec';

/** The default engine: compiled codecs, prebuilt for the common platforms. */
export function createNativeEngine(): CodecEngine {
  return { jpeg: new SharpJpegCodec(), png: new NativePngCodec() };
}
