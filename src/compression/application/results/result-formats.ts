import { RESULT_FORMATS, type ResultFormatName } from '../../../contract/formats';
import { cannotConvert } from '../../../contract/image-problems';
import type { CodecEngine } from '../codecs.port';
import type { ResultFormat } from '../result-format.port';
import { avifFormat } from './avif-format';
import { jpegFormat } from './jpeg-format';
import { pngFormat } from './png-format';
import { webpFormat } from './webp-format';

export function listResultFormats({ jpeg, png, webp, avif, added = [] }: CodecEngine): ResultFormat[] {
  return [
    jpegFormat(jpeg),
    pngFormat(png),
    ...(webp ? [webpFormat(webp)] : []),
    ...(avif ? [avifFormat(avif)] : []),
    ...added,
  ];
}

export function findResultFormat(engine: CodecEngine, format: ResultFormatName): ResultFormat | undefined {
  return listResultFormats(engine).find(({ name }) => name === format);
}

/** @throws ImageRefused `cannot_convert` if the engine cannot write the format */
export function getResultFormat(engine: CodecEngine, format: ResultFormatName): ResultFormat {
  const found = findResultFormat(engine, format);
  if (found) return found;
  const { label = format } = Object.entries(RESULT_FORMATS).find(([name]) => name === format)?.[1] ?? {};
  throw cannotConvert({ reason: 'no-encoder', words: `this service has no encoder for ${label}` });
}
