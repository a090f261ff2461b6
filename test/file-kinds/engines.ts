import { compressImage } from '../../src/compression/application/recipe';
import type { CodecEngine, EngineName } from '../../src/compression/application/codecs.port';
import type { CompressionPolicy } from '../../src/compression/domain/compression-policy';
import type { CompressedImage } from '../../src/compression/domain/compression-report';
import { loadEngine } from '../../src/compression/infrastructure/codecs/engines';
import { readSettings } from '../../src/settings/settings';

export type Compress = (
  bytes: Uint8Array,
  environment?: Readonly<Record<string, string>>,
  changes?: Partial<CompressionPolicy>,
) => Promise<CompressedImage>;

/** Declares tests for every engine; `compress` takes settings like a deployment, and options of the request. */
export function withEveryEngine(declare: (compress: Compress, engine: EngineName) => void) {
  for (const name of ['native', 'squoosh'] as const) {
    describe(`the ${name} engine`, () => {
      let engine: CodecEngine;
      beforeAll(async () => (engine = await loadEngine(name)));
      declare(
        (bytes, environment = {}, changes = {}) =>
          compressImage(bytes, engine, { ...readSettings(environment).compression.policy, ...changes }),
        name,
      );
    });
  }
}

export async function expectUnchanged(compress: Compress, source: Uint8Array, settings = {}) {
  const { bytes, report } = await compress(source, settings);
  expect(report.skipReason).toBeDefined();
  expect(bytes).toEqual(source);
}
