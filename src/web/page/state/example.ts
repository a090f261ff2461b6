import { addFiles } from './jobs';

/** Adds the example image as if it had been chosen. Without a connection nothing happens. */
export async function addExample(url: string): Promise<void> {
  try {
    const response = await fetch(url);
    if (response.ok)
      await addFiles([new File([await response.blob()], 'example.jpg', { type: 'image/jpeg' })]);
  } catch {
    // The queue says that the service cannot be reached as soon as there is something to send.
  }
}
