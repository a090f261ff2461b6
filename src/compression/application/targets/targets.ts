/** The result formats of an engine, by name. */
import { factsOf, type BuiltInFormat, type TargetFormat } from '../../../contract/formats';
import { cannotConvert } from '../../../contract/image-problems';
import type { CodecEngine } from '../codecs.port';
import { avifTarget } from './avif-target';
import { jpegTarget } from './jpeg-target';
import { pngTarget } from './png-target';
import type { Target } from '../target.port';
import { webpTarget } from './webp-target';

/** The compiler reports a format without a row. */
const BUILT_IN: Readonly<Record<BuiltInFormat, (engine: CodecEngine) => Target | undefined>> = {
  jpeg: ({ jpeg }) => jpegTarget(jpeg),
  png: ({ png }) => pngTarget(png),
  webp: ({ webp }) => webp && webpTarget(webp),
  avif: ({ avif }) => avif && avifTarget(avif),
};

/** @throws ImageRefused `cannot_convert` if the engine cannot write the format */
export function targetOf(engine: CodecEngine, format: TargetFormat): Target {
  const target = findTarget(engine, format);
  if (!target) {
    const words = `this service has no encoder for ${factsOf(format).label}`;
    throw cannotConvert({ reason: 'no-encoder', words });
  }
  return target;
}

export function canWrite(engine: CodecEngine, format: TargetFormat): boolean {
  return findTarget(engine, format) !== undefined;
}

function findTarget(engine: CodecEngine, format: TargetFormat): Target | undefined {
  if (isBuiltIn(format)) return BUILT_IN[format](engine);
  return engine.added?.find(({ name }) => name === format);
}

function isBuiltIn(format: TargetFormat): format is BuiltInFormat {
  return Object.hasOwn(BUILT_IN, format);
}
