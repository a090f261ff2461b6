/** The result formats of an engine, by name. */
import { RESULT_FORMATS, type BuiltInFormat, type ResultFormatName } from '../../../contract/formats';
import { cannotConvert } from '../../../contract/image-problems';
import type { CodecEngine } from '../codecs.port';
import { avifFormat } from './avif-format';
import { jpegFormat } from './jpeg-format';
import { pngFormat } from './png-format';
import type { ResultFormat } from '../result-format.port';
import { webpFormat } from './webp-format';

/** The compiler reports a format without a row. */
const BUILT_IN: Readonly<Record<BuiltInFormat, (engine: CodecEngine) => ResultFormat | undefined>> = {
  jpeg: ({ jpeg }) => jpegFormat(jpeg),
  png: ({ png }) => pngFormat(png),
  webp: ({ webp }) => webp && webpFormat(webp),
  avif: ({ avif }) => avif && avifFormat(avif),
};

/** @throws ImageRefused `cannot_convert` if the engine cannot write the format */
export function resultFormatOf(engine: CodecEngine, format: ResultFormatName): ResultFormat {
  const found = findFormat(engine, format);
  if (!found) {
    const label = isBuiltIn(format) ? RESULT_FORMATS[format].label : format;
    const words = `this service has no encoder for ${label}`;
    throw cannotConvert({ reason: 'no-encoder', words });
  }
  return found;
}

export function canWrite(engine: CodecEngine, format: ResultFormatName): boolean {
  return findFormat(engine, format) !== undefined;
}

function findFormat(engine: CodecEngine, format: ResultFormatName): ResultFormat | undefined {
  if (isBuiltIn(format)) return BUILT_IN[format](engine);
  return engine.added?.find(({ name }) => name === format);
}

function isBuiltIn(format: ResultFormatName): format is BuiltInFormat {
  return Object.hasOwn(BUILT_IN, format);
}
