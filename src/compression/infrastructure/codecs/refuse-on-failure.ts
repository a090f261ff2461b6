/**
 * Turns what codecs throw into refusals. A client sends the bytes, so a codec that fails on them is no bug;
 * running out of memory is not the client's fault, and stays an error.
 */
import { undecodable, undecodableFeatures } from '../../../contract/image-problems';
import { unusualFeatures } from '../../formats/jpeg/jpeg-structure';

/** libvips, libjpeg, libpng, zlib, V8 and Emscripten without memory. The file, whose size was accepted, is not at fault. */
const NO_MEMORY =
  /out of memory|insufficient memory|allocat\w{0,9} (failed|memory)|memory allocat|enlarge memory|\bOOM\b/i;

/** @throws ImageRefused `undecodable_image` for anything that the codec throws, except if memory ran out */
export async function refuseOnFailure<T>(format: 'JPEG' | 'PNG', work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isLackOfMemory(error)) throw error;
    throw undecodable(format);
  }
}

/** @throws ImageRefused `undecodable_image` like refuseOnFailure; the message names rare JPEG features */
export async function refuseJpegOnFailure<T>(jpeg: Uint8Array, work: () => T | Promise<T>): Promise<T> {
  try {
    return await refuseOnFailure('JPEG', work);
  } catch (error) {
    const features = isLackOfMemory(error) ? undefined : unusualFeatures(jpeg);
    throw features === undefined ? error : undecodableFeatures(features);
  }
}

function isLackOfMemory(error: unknown) {
  return error instanceof Error && NO_MEMORY.test(`${error.name} ${error.message}`);
}
