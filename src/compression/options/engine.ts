/** The codec engine: one of this package, or a package. */
import { z } from 'zod';
import { userFolder } from '../../environment/read-variables';
import { ENGINE_NAMES, type EngineName } from '../application/codecs.port';
import { findEnginePackage, PackageFault, type CodecPackage } from '../packages/codec-package';

export interface Engine {
  /** The name of an engine of this package, or the absolute path of a package. */
  readonly name: EngineName | (string & {});
  /** Memory of a worker for an image, as a multiple of memoryDemand(). */
  readonly memoryFactor: number;
  /** Present if it is a package. */
  readonly package?: CodecPackage;
}

/**
 * The portable engine keeps copies in JavaScript and WebAssembly: measured 1.9 times for JPEGs of 14.7 megapixels and 2.0 for 16-bit
 * PNGs.
 */
const MEMORY_FACTOR: Readonly<Record<EngineName, number>> = { native: 1, squoosh: 2 };

/** @throws PackageFault when it is neither the name of an engine nor a package that is one */
function engineNamed(name: string): Engine {
  const builtIn = ENGINE_NAMES.find((known) => known === name);
  if (builtIn) return { name, memoryFactor: MEMORY_FACTOR[builtIn] };
  const found = findEnginePackage(name, userFolder);
  return { name: found.path, memoryFactor: found.memoryFactor, package: found };
}

export const engine = z
  .string({ error: 'must be given once' })
  .transform((name, context) => {
    try {
      return engineNamed(name);
    } catch (error) {
      if (!(error instanceof PackageFault)) throw error;
      context.addIssue(`must be ${ENGINE_NAMES.join(', ')} or a package: ${error.message}`);
      return z.NEVER;
    }
  })
  .meta({ accepts: `${ENGINE_NAMES.join(', ')}, a package` });
