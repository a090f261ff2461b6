/**
 * The default engine: compiled codecs, prebuilt for common platforms, and jpegli as WebAssembly. Without
 * jpegli it still works, with MozJPEG in its place and a notice for the operator.
 */
import sharp from 'sharp';
import { errorMessage } from '../../../../contract/problem';
import type { CodecEngine } from '../../../application/codecs.port';
import { JpegliEncoder } from './jpegli-encoder';
import { JpegliJpegCodec, SharpJpegCodec } from './native-jpeg.codec';
import { NativePngCodec } from './native-png.codec';
import { createSharpResultCodecs } from './sharp-result.codecs';

/** @param loadJpegli replaced by tests */
export function createNativeEngine(loadJpegli = () => new JpegliEncoder()): CodecEngine {
  const others = {
    png: new NativePngCodec(),
    ...createSharpResultCodecs(),
    closeOtherFormats: blockUnusedOperations,
  };
  try {
    const jpegli = loadJpegli();
    const releaseMemory = jpegli.releaseMemory.bind(jpegli);
    return { jpeg: new JpegliJpegCodec(jpegli), ...others, releaseMemory };
  } catch (error) {
    const notice = `jpegli cannot be loaded; MozJPEG replaces it, which is slower and makes larger files (${errorMessage(error)})`;
    return { jpeg: new SharpJpegCodec(), ...others, notices: [notice] };
  }
}

const OPEN = ['Jpeg', 'Png', 'Webp', 'Heif'].flatMap((format) => [
  `VipsForeignLoad${format}Buffer`,
  `VipsForeignSave${format}Buffer`,
]);

/** libvips has about 40 more loaders and savers, which the first bytes of a file could choose. */
function blockUnusedOperations() {
  // VipsSystem starts programs.
  sharp.block({ operation: ['VipsForeignLoad', 'VipsForeignSave', 'VipsSystem'] });
  sharp.unblock({ operation: OPEN });
}
