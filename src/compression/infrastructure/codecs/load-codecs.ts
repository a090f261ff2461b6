import type { CodecEngine } from '../../application/codecs.port';
import { findFormatPackage } from '../../packages/codec-package';
import { loadFormat } from '../../packages/load-package';
import { loadEngine } from './engines';

/**
 * Loads the codecs of a worker.
 * @param engine the name of a built-in engine, or the absolute path of a package
 * @param formats absolute paths of packages that add formats
 */
export async function loadCodecs(engine: string, formats: readonly string[]): Promise<CodecEngine> {
  const loaded = await loadEngine(engine);
  loaded.closeOtherFormats?.();
  const found = formats.map((path) => findFormatPackage(path, path));
  return { ...loaded, added: await Promise.all(found.map(loadFormat)) };
}
