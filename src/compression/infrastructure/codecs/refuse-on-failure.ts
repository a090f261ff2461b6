import { undecodable, undecodableFeatures } from '../../../contract/image-problems';
import { unusualFeatures } from '../../formats/jpeg/jpeg-process';

/**
 * How libvips, libjpeg, libpng, zlib, V8 and Emscripten say that there is no memory left. That is not the fault of the file:
 * the limits have accepted its size before.
 */
const NO_MEMORY =
  /out of memory|insufficient memory|allocat\w{0,9} (failed|memory)|memory allocat|enlarge memory|\bOOM\b/i;

/**
 * Runs a codec on the bytes of a client.
 * @throws ImageRefused `undecodable_image` for anything that the codec throws, except for a lack of memory
 */
export async function refuseOnFailure<T>(format: 'JPEG' | 'PNG', work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isLackOfMemory(error)) throw error;
    throw undecodable(format);
  }
}

/**
 * Runs a codec on a JPEG of a client.
 * @throws ImageRefused `undecodable_image` as refuseOnFailure; the message names rare JPEG features
 */
export async function refuseJpegOnFailure<T>(jpeg: Uint8Array, work: () => T | Promise<T>): Promise<T> {
  try {
    return await refuseOnFailure('JPEG', work);
  } catch (error) {
    const features = isLackOfMemory(error) ? undefined : unusualFeatures(jpeg);
    throw features === undefined ? error : undecodableFeatures(features);
  }
}

function isLackOfMemory(error: unknown): boolean {
  return error instanceof Error && NO_MEMORY.test(`${error.name} ${error.message}`);
}
