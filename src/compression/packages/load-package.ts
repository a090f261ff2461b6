/** Loads the code of codec packages. Only workers do, so that no code of a package runs beside secrets. */
import { pathToFileURL } from 'node:url';
import { errorMessage } from '../../contract/problem';
import type { CodecEngine, EngineTools } from '../application/codecs.port';
import type { FormatCode, ResultFormat, UploadReader } from '../application/result-format.port';
import { addedFormat, addedReader } from './added-format';
import { PackageFault, type CodecPackage } from './codec-package';

type Exports = Readonly<Record<string, unknown>>;

interface LoadedFormat {
  readonly result?: ResultFormat;
  readonly upload?: UploadReader;
}

/** @throws PackageFault when the code cannot be loaded or does not export what the manifest declares */
export function loadFormat({ specifier, entry, manifest }: CodecPackage): Promise<LoadedFormat> {
  return attempt(specifier, async () => {
    const { format } = await imported(entry);
    if (!manifest.format || typeof format !== 'object' || format === null)
      throw new PackageFault(`${specifier} exports no "format"`);
    const code = format as Partial<FormatCode>;
    const isFunction = (name: keyof FormatCode) => typeof code[name] === 'function';
    if (!isFunction('decode')) throw new PackageFault(`the format of ${specifier} has no function "decode"`);
    const { uploads } = manifest.format;
    if (uploads && !isFunction('dimensions'))
      throw new PackageFault(`the format of ${specifier} has no function "dimensions"`);
    const isWritten = isFunction('encode') || isFunction('encodeLosslessly');
    if (!uploads && !isWritten)
      throw new PackageFault(`the format of ${specifier} has neither "encode" nor "encodeLosslessly"`);
    return {
      ...(isWritten && { result: addedFormat(manifest.format, code as FormatCode) }),
      ...(uploads && { upload: addedReader(manifest.format, code as FormatCode) }),
    };
  });
}

/** @throws PackageFault when the code cannot be loaded or exports no engine */
export function loadAddedEngine(
  { specifier, entry }: CodecPackage,
  tools: EngineTools,
): Promise<CodecEngine> {
  return attempt(specifier, async () => {
    const { createEngine } = await imported(entry);
    if (typeof createEngine !== 'function')
      throw new PackageFault(`${specifier} exports no function "createEngine"`);
    const engine = await (createEngine as (tools: EngineTools) => unknown)(tools);
    const { jpeg, png } = (engine ?? {}) as Partial<CodecEngine>;
    if (!jpeg || !png) throw new PackageFault(`the engine of ${specifier} has no codecs "jpeg" and "png"`);
    return engine as CodecEngine;
  });
}

async function imported(entry: string): Promise<Exports> {
  const module = (await import(pathToFileURL(entry).href)) as Exports;
  // Node cannot see all names that a CommonJS module exports; those are members of its default.
  return { ...(module['default'] as Exports | undefined), ...module };
}

async function attempt<T>(specifier: string, run: () => Promise<T>) {
  try {
    return await run();
  } catch (error) {
    if (error instanceof PackageFault) throw error;
    const [reason] = errorMessage(error).split('\n');
    throw new PackageFault(`${specifier} cannot be loaded: ${reason}`, { cause: error });
  }
}
