import { ImageRefused } from '../../domain/refusal';

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
