/** The code of each format, a row a format, joined with its facts in `contract/formats.ts` by the name; and those that packages have added. */
import {
  FORMATS,
  Formats,
  type BuiltInFormat,
  type ResultFormatName,
  type SourceFormat,
} from '../../contract/formats';
import { cannotConvert, undecodable } from '../../contract/image-problems';
import { sameSize, uprightSize } from '../domain/dimensions';
import { readAvifMarker, rewriteAvif } from '../formats/avif/avif-metadata';
import type { Source } from '../formats/image-header';
import { isResultMarker } from '../formats/jpeg/result-marker';
import { withoutSegments } from '../formats/jpeg/segment-writer';
import { pngOfChunks, readChunks } from '../formats/png/png-chunks';
import { RESULT_CHUNK } from '../formats/png/png-result-marker';
import type { ResultPolicy, Rewriting } from '../formats/result-policy';
import { isStill, readStillHeader, type StillFormat } from '../formats/read-still-header';
import { readWebpMarker, rewriteWebp } from '../formats/webp/webp-file';
import { avifFormat } from './avif/avif-format';
import type { CodecEngine, ResultCodec } from './codecs.port';
import type { Context } from './context';
import { jpegFormat } from './jpeg/jpeg-format';
import { openJpeg, viewJpeg } from './jpeg/open-jpeg';
import type { OpenedImage, View } from './opened-image';
import { openPng, viewPng } from './png/open-png';
import { pngFormat } from './png/png-format';
import type { FormatCoding, ResultFormat, UploadReader } from './result-format.port';
import { webpFormat } from './webp/webp-format';

interface FormatCode {
  /** Returns how results are written and read with the codecs of an engine; undefined if it has none for the format. */
  readonly into: (engine: CodecEngine) => FormatCoding | undefined;
}

/** Of a format whose uploads have codings of their own. */
interface SourceCode<S extends Source> extends FormatCode {
  open(source: S, context: Context): OpenedImage | Promise<OpenedImage>;
  /** Returns the image that results are compared with. */
  view(source: S, context: Context): View;
  /** Returns a result without the marker by which this service recognises it. */
  readonly withoutMarker: (file: Uint8Array) => Uint8Array;
}

/** Of a format whose uploads become pixels before anything else. */
interface StillCode extends FormatCode {
  /** Returns what was asked of a result of this service; undefined for other files. */
  readonly readMarker: (file: Uint8Array) => ResultPolicy | undefined;
  /** Copies the coded image. @throws Error when the structure of the file is rare */
  readonly rewrite: (file: Uint8Array, changes: Rewriting) => Uint8Array;
}

const CODE = {
  jpeg: {
    into: ({ jpeg }) => jpegFormat(jpeg),
    open: openJpeg,
    view: viewJpeg,
    withoutMarker: (file) => withoutSegments(file, isResultMarker),
  },
  png: {
    into: ({ png }) => pngFormat(png),
    open: openPng,
    view: viewPng,
    withoutMarker: (file) => pngOfChunks(readChunks(file).filter(({ type }) => type !== RESULT_CHUNK)),
  },
  webp: {
    into: ({ webp }) => webp && webpFormat(webp),
    readMarker: readWebpMarker,
    rewrite: rewriteWebp,
  },
  avif: {
    into: ({ avif }) => avif && avifFormat(avif),
    readMarker: readAvifMarker,
    rewrite: rewriteAvif,
  },
} satisfies {
  readonly [F in BuiltInFormat]: F extends SourceFormat
    ? SourceCode<Extract<Source, { format: F }>>
    : StillCode;
};

/** How uploads are opened, by their format. */
export const SOURCE_CODE: Readonly<Record<SourceFormat, SourceCode<Source>>> = CODE;
const STILL_CODE: Readonly<Record<StillFormat, StillCode>> = CODE;

/** Undefined for formats of packages, and for JPG and PNG. */
export function stillCode(format: ResultFormatName): StillCode | undefined {
  return isStill(format) ? STILL_CODE[format] : undefined;
}

/** Returns a result without the marker by which this service recognises it. Those of packages have none. */
export function withoutMarker(format: ResultFormatName, file: Uint8Array): Uint8Array {
  const still = stillCode(format);
  if (still) return still.rewrite(file, { made: null });
  const own: Partial<Record<string, SourceCode<Source>>> = SOURCE_CODE;
  return own[format]?.withoutMarker(file) ?? file;
}

/** Returns what reads an upload with an engine; undefined for JPG and PNG, and if it has no codec for it. */
export function findReader(engine: CodecEngine, file: Uint8Array): UploadReader | undefined {
  const { uploads = [], knownFormats = Formats.builtIn } = engine;
  const { name } = knownFormats.decodedUpload(file) ?? {};
  if (name === undefined) return undefined;
  if (!isStill(name)) return uploads.find((reader) => reader.name === name);
  return engine[name] && stillReader(name, engine[name]);
}

/** @throws ImageRefused `undecodable_image` as readStillHeader does, and when the pixels are not those that the header declares */
function stillReader(name: StillFormat, codec: ResultCodec): UploadReader {
  return {
    name,
    dimensions: (file) =>
      Promise.resolve(file).then((bytes) => {
        const { dimensions, isAnimated } = readStillHeader(name, bytes, Infinity);
        return { ...dimensions, isAnimated };
      }),
    decode: async (file) => {
      const { blocks, orientation, dimensions, isLossy, removed } = readStillHeader(name, file, Infinity);
      const { label } = FORMATS[name];
      const decoding = codec.decodeUpload?.(file) ?? codec.decode(file);
      const decoded = await decoding.catch(() => {
        throw undecodable(label);
      });
      if (!sameSize(uprightSize(decoded, orientation), dimensions)) throw undecodable(label);
      return { ...decoded, ...blocks, isLossy, removed };
    },
  };
}

/** The formats that results may have with an engine. */
export function listResultFormats(engine: CodecEngine): ResultFormat[] {
  const own = Object.entries<FormatCode>(CODE).flatMap(([name, { into }]) => {
    const coding = into(engine);
    return coding ? [{ name, label: FORMATS[name as BuiltInFormat].label, ...coding }] : [];
  });
  return [...own, ...(engine.added ?? [])];
}

export function findResultFormat(engine: CodecEngine, format: ResultFormatName): ResultFormat | undefined {
  return listResultFormats(engine).find(({ name }) => name === format);
}

/** @throws ImageRefused `cannot_convert` if the engine cannot write the format */
export function getResultFormat(engine: CodecEngine, format: ResultFormatName): ResultFormat {
  const found = findResultFormat(engine, format);
  if (found) return found;
  const label = format in FORMATS ? FORMATS[format as BuiltInFormat].label : format;
  throw cannotConvert({ reason: 'no-encoder', words: `this service has no encoder for ${label}` });
}
