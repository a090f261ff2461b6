/** The code of each format, a row a format, joined with its facts in `contract/formats.ts` by the name; and those that packages have added. */
import {
  FORMATS,
  type BuiltInFormat,
  type ResultFormatName,
  type UploadFormat,
} from '../../contract/formats';
import { cannotConvert } from '../../contract/image-problems';
import type { Source } from '../formats/image-header';
import { isResultMarker } from '../formats/jpeg/result-marker';
import { withoutSegments } from '../formats/jpeg/segment-writer';
import { pngOfChunks, readChunks } from '../formats/png/png-chunks';
import { RESULT_CHUNK } from '../formats/png/png-result-marker';
import { avifFormat } from './avif/avif-format';
import type { CodecEngine } from './codecs.port';
import type { Context } from './context';
import { jpegFormat } from './jpeg/jpeg-format';
import { openJpeg, viewJpeg } from './jpeg/open-jpeg';
import type { OpenedImage, View } from './opened-image';
import { openPng, viewPng } from './png/open-png';
import { pngFormat } from './png/png-format';
import type { FormatCoding, ResultFormat } from './result-format.port';
import { webpFormat } from './webp/webp-format';

interface FormatCode {
  /** Returns how results are written and read with the codecs of an engine; undefined if it has none for the format. */
  readonly into: (engine: CodecEngine) => FormatCoding | undefined;
}

interface UploadCode<S extends Source = Source> extends FormatCode {
  open(source: S, context: Context): OpenedImage | Promise<OpenedImage>;
  /** Returns the image that results are compared with. */
  view(source: S, context: Context): View;
  /** Returns a result without the marker by which this service recognises it. */
  withoutMarker(file: Uint8Array): Uint8Array;
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
  webp: { into: ({ webp }) => webp && webpFormat(webp) },
  avif: { into: ({ avif }) => avif && avifFormat(avif) },
} satisfies {
  readonly [F in BuiltInFormat]: F extends UploadFormat
    ? UploadCode<Extract<Source, { format: F }>>
    : FormatCode;
};

/** How uploads are opened, by their format. */
export const UPLOAD_CODE: Readonly<Record<UploadFormat, UploadCode>> = CODE;

export function withoutMarker(format: ResultFormatName, file: Uint8Array): Uint8Array {
  const rows: Readonly<Partial<Record<string, Partial<UploadCode>>>> = CODE;
  return rows[format]?.withoutMarker?.(file) ?? file;
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
