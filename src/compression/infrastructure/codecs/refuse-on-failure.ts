import { ImageRefused, undecodable } from '../../domain/refusal';
import { unusualFeatures } from '../../formats/jpeg/jpeg-process';

/**
 * Runs a codec on the bytes of a client.
 * @throws ImageRefused `undecodable_image` for anything that the codec throws
 */
export async function refuseOnFailure<T>(format: 'JPEG' | 'PNG', work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    throw undecodable(format);
  }
}

/**
 * Runs a codec on a JPEG of a client.
 * @throws ImageRefused `undecodable_image` for anything that the codec throws; the message names rare JPEG features
 */
export async function refuseJpegOnFailure<T>(jpeg: Uint8Array, work: () => T | Promise<T>): Promise<T> {
  try {
    return await refuseOnFailure('JPEG', work);
  } catch (error) {
    const features = unusualFeatures(jpeg);
    if (features === undefined) throw error;
    throw new ImageRefused(
      'undecodable_image',
      `The JPEG cannot be decoded: it is damaged, or it uses ${features}, which this service does not support. ` +
        'Save it as an 8-bit baseline or progressive JPEG.',
    );
  }
}
