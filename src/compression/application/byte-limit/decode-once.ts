/**
 * Codecs that decode an upload once. The search for a byte limit tries up to thirteen dimensions, and decoding a large upload
 * may cost a hundred times as much as encoding a small result. So the first pixels are kept and scaled down further.
 *
 * A PNG that is not scaled at first is decoded twice: its recipe takes the pixels, smaller dimensions take the file.
 */
import { sameSize, type Dimensions } from '../../domain/dimensions';
import type { Pixels } from '../../domain/pixels';
import type { Source } from '../../formats/image-header';
import type { CodecEngine, JpegCodec, PngCodec } from '../codecs.port';

/**
 * Returns the engine with codecs that decode the source once, even for several smaller dimensions.
 * @param largest dimensions of the first step of the search, upright
 */
export function decodingOnce(engine: CodecEngine, source: Source, largest: Dimensions): CodecEngine {
  const { jpeg, png } = engine;
  return { ...engine, jpeg: decodingJpegOnce(jpeg, source), png: decodingPngOnce(png, source, largest) };
}

function decodingJpegOnce(codec: JpegCodec, { bytes }: Source): JpegCodec {
  let first: { readonly pixels: Pixels; readonly form: string; readonly isWhole: boolean } | undefined;
  const once = Object.create(codec) as JpegCodec;
  once.decode = async (jpeg, options) => {
    if (jpeg !== bytes) return codec.decode(jpeg, options);
    const { size, orientation, toEncode, toSrgb } = options;
    // Pixels in another form, such as those for verifying a lossless rewrite, are not shared.
    const form = JSON.stringify([orientation, toEncode, toSrgb]);
    first ??= { pixels: await codec.decode(jpeg, options), form, isWhole: !size };
    const { pixels, isWhole } = first;
    const isCovered = form === first.form && (size ? !isLarger(size, pixels) : isWhole);
    if (!isCovered) return codec.decode(jpeg, options);
    return !size || sameSize(size, pixels) ? pixels : codec.scale(pixels, size);
  };
  return once;
}

function decodingPngOnce(codec: PngCodec, { bytes, dimensions }: Source, largest: Dimensions): PngCodec {
  let upright: Uint8Array | undefined;
  let decoded: { readonly png: Uint8Array; readonly pixels: Pixels } | undefined;
  const once = Object.create(codec) as PngCodec;
  once.transform = async (png, options) => {
    const { size, ...others } = options;
    if (png !== bytes || !size) return codec.transform(png, options);
    upright ??= await codec.transform(
      png,
      sameSize(largest, dimensions) ? others : { ...others, size: largest },
    );
    return sameSize(size, largest) ? upright : codec.transform(upright, { ...options, orientation: 1 });
  };
  // The first file to decode is the upload without its metadata, a new copy each time.
  once.decode = async (png) => {
    if (decoded && Buffer.compare(decoded.png, png) === 0) return decoded.pixels;
    const pixels = await codec.decode(png);
    decoded ??= { png, pixels };
    return pixels;
  };
  return once;
}

function isLarger(size: Dimensions, than: Dimensions): boolean {
  return size.width > than.width || size.height > than.height;
}
