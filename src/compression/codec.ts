/** The types for codec packages: `import type { ResultFormat } from 'image-compression-service/codec'`. See docs/adding-a-codec.md. */
/// <reference types="node" preserve="true" />
export type {
  CodecEngine,
  CreateEngine,
  EngineTools,
  JpegCodec,
  PngCodec,
  ResultCodec,
} from './application/codecs.port';
export type {
  FormatCode as ResultFormat,
  EncodeOptions,
  LosslessOptions,
} from './application/result-format.port';
export type { Pixels } from './domain/pixels';
export type { EmbeddedBlocks } from './formats/embedded-blocks';
