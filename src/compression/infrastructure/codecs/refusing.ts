import { ImageRefused } from '../../domain/refusal';
import { unusualFeatures } from '../../formats/jpeg/jpeg-process';

/** Runs work on the caller's bytes; what the library throws about them becomes a refusal in our own words. */
export async function refusing<T>(format: 'JPEG' | 'PNG', work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    throw new ImageRefused(
      'undecodable_image',
      `The ${format} cannot be decoded: it is damaged, cut off or of an unsupported kind.`,
    );
  }
}

/** The same for a JPEG, of which it is said what few decoders read, where that is what it may have failed for. */
export async function refusingJpeg<T>(jpeg: Uint8Array, work: () => T | Promise<T>): Promise<T> {
  try {
    return await refusing('JPEG', work);
  } catch (error) {
    const features = unusualFeatures(jpeg);
    if (features === undefined) throw error;
    throw new ImageRefused(
      'undecodable_image',
      `The JPEG cannot be decoded: it is damaged, or its ${features} cannot be read here. ` +
        'Save it as a baseline or progressive JPEG of 8 bits.',
    );
  }
}
