import { compressImage } from '../../src/compression/application/recipe';
import {
  ENGINE_NAMES,
  type CodecEngine,
  type EngineName,
} from '../../src/compression/application/codecs.port';
import type { CompressionPolicy } from '../../src/compression/domain/compression-policy';
import type { CompressedImage } from '../../src/compression/domain/compression-report';
import { loadEngine } from '../../src/compression/infrastructure/codecs/engines';
import { readSettings } from '../../src/settings/settings';

export type Compress = (
  bytes: Uint8Array,
  environment?: Readonly<Record<string, string>>,
  changes?: Partial<CompressionPolicy>,
) => Promise<CompressedImage & { readonly bytes: Buffer }>;

/** Declares tests for every engine; `compress` takes settings like a deployment, and options of the request. */
export function withEveryEngine(declare: (compress: Compress, engine: EngineName) => void) {
  describe.each(ENGINE_NAMES)('the %s engine', (name) => {
    let engine: CodecEngine;
    beforeAll(async () => (engine = await loadEngine(name)));
    declare(async (source, environment = {}, changes = {}) => {
      const policy = { ...readSettings(environment).compression.policy, ...changes };
      const { bytes, report } = await compressImage(source, engine, policy);
      return { bytes: Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes), report };
    }, name);
  });
}

export async function expectUnchanged(compress: Compress, source: Uint8Array, settings = {}) {
  const { bytes, report } = await compress(source, settings);
  expect(report.skipReason).toBeDefined();
  expect(bytes).toEqual(source);
}
