/** Loads the modules of FORMAT_MODULES, which add formats that results can have: see docs/adding-a-codec.md. */
import { resolve } from 'node:path';
import { addResultFormat } from '../contract/formats';
import type { AddedFormat } from './application/result-format.port';

/**
 * Loads a CommonJS module and adds the format that it exports to this process. The service, the command line and the library
 * load it for the name, workers for the codec.
 * @param path absolute, or relative to the current folder
 * @throws Error when the module cannot be loaded, or exports no format
 */
export function loadFormatModule(path: string): AddedFormat {
  // The path is known only at run time, and import() would need the callers to wait.
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  const { format } = require(resolve(path)) as { readonly format?: AddedFormat };
  if (typeof format?.decode !== 'function') throw new Error('the module exports no "format" with a decoder');
  const { name, label, mediaType, extensions } = format;
  addResultFormat(name, { label, mediaType, extensions });
  return format;
}

/** Loads a module, and returns what is wrong with it in one line; undefined if nothing is. */
export function faultOfModule(path: string): string | undefined {
  try {
    loadFormatModule(path);
    return undefined;
  } catch (error) {
    return `${path} cannot be loaded: ${(error as Error).message.split('\n')[0]}`;
  }
}
