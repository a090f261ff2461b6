/**
 * Loads the codecs of a worker: a built-in engine by name, or a package, and the formats of packages. Runs in
 * workers only. To add one, see docs/adding-a-codec.md.
 */
import { isAbsolute } from 'node:path';
import {
  JpegCodec,
  PngCodec,
  type CodecEngine,
  type EngineName,
  type EngineTools,
} from '../../application/codecs.port';
import type { UploadReader, ResultFormat } from '../../application/result-format.port';
import { Formats } from '../../../contract/formats';
import { findFormatPackage, findPackage } from '../../packages/codec-package';
import { loadAddedEngine, loadFormat } from '../../packages/load-package';
import { refuseOnFailure } from './refuse-on-failure';

/** Imports are dynamic, so that the portable engine runs where native code cannot be loaded. */
const LOAD: Readonly<Record<EngineName, () => Promise<CodecEngine>>> = {
  native: async () => (await import('./native/native-engine.js')).createNativeEngine(),
  squoosh: async () => (await import('./squoosh/squoosh-engine.js')).createSquooshEngine(),
};

const TOOLS: EngineTools = { nativeEngine: LOAD.native, JpegCodec, PngCodec, refuseOnFailure };

/**
 * Loads an engine alone. @param engine the name of a built-in engine, or the absolute path of a package
 * @throws PackageFault when a package cannot be used, or the error of a built-in engine that cannot be loaded
 */
export async function loadEngine(engine: string): Promise<CodecEngine> {
  return isAbsolute(engine)
    ? loadAddedEngine(findPackage(engine, engine), TOOLS)
    : LOAD[engine as EngineName]();
}

/**
 * Loads everything that a worker needs: the engine, and the formats of packages over the built-in ones.
 * @param engine the name of a built-in engine, or the absolute path of a package
 * @param formats absolute paths of packages
 * @param onLoading called with the path of each package before its code runs: it may end the process, or
 * never finish
 * @throws PackageFault when a package cannot be used
 */
export async function loadCodecs(
  engine: string,
  formats: readonly string[],
  onLoading: (path: string) => void,
): Promise<CodecEngine> {
  if (isAbsolute(engine)) onLoading(engine);
  const loaded = await loadEngine(engine);
  loaded.closeOtherFormats?.();
  const added: ResultFormat[] = [];
  const uploads: UploadReader[] = [];
  let knownFormats = Formats.builtIn;
  for (const path of formats) {
    const { found, ...extended } = findFormatPackage(path, path, knownFormats);
    ({ knownFormats } = extended);
    onLoading(path);
    const { result, upload } = await loadFormat(found);
    if (result) added.push(result);
    if (upload) uploads.push(upload);
  }
  return { ...loaded, added, uploads, knownFormats };
}
