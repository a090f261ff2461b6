/** The engine that docs/adding-a-codec.md builds: PNG in plain JavaScript, JPEG borrowed from the native engine. */
import { PNG } from 'pngjs';
import {
  PngCodec,
  type CodecEngine,
  type DecodeOptions,
} from '../../../src/compression/application/codecs.port';
import type { Effort } from '../../../src/compression/domain/compression-policy';
import type { Pixels } from '../../../src/compression/domain/pixels';
import { withColourChunks } from '../../../src/compression/formats/png/png-metadata';
import { readPngStructure } from '../../../src/compression/formats/png/png-structure';
import { NativePngCodec } from '../../../src/compression/infrastructure/codecs/native/native-png.codec';
import { createNativeEngine } from '../../../src/compression/infrastructure/codecs/native/native-engine';
import { refuseOnFailure } from '../../../src/compression/infrastructure/codecs/refuse-on-failure';

class ToyPngCodec extends PngCodec {
  private readonly native = new NativePngCodec();

  decode(png: Uint8Array): Promise<Pixels> {
    return refuseOnFailure('PNG', () => {
      const { width, height, data } = PNG.sync.read(Buffer.from(png));
      return { width, height, channels: 4 as const, data };
    });
  }

  optimise(png: Uint8Array): Promise<Uint8Array> {
    return refuseOnFailure('PNG', () => {
      const { bitDepth, colourChunks } = readPngStructure(png);
      const picture = PNG.sync.read(Buffer.from(png));
      if (bitDepth === 16) return png;
      const smaller = withColourChunks(PNG.sync.write(picture, { deflateLevel: 9 }), colourChunks);
      return smaller.length < png.length ? smaller : png;
    });
  }

  transform(png: Uint8Array, options: DecodeOptions): Promise<Uint8Array> {
    return this.native.transform(png, options);
  }

  deflate(bytes: Uint8Array, effort: Effort): Promise<Uint8Array> {
    return this.native.deflate(bytes, effort);
  }

  quantise(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  arePixelsEqual(a: Uint8Array, b: Uint8Array): Promise<boolean> {
    return this.native.arePixelsEqual(a, b);
  }
}

export function createToyEngine(): CodecEngine {
  return { jpeg: createNativeEngine().jpeg, png: new ToyPngCodec() };
}
