/** A shortcode for Eleventy that writes an image in several sizes: {% photo "photos/sample.jpg", "A lake" %} */
import { mkdir, writeFile } from 'node:fs/promises';
import { compressSet } from 'image-compression-service';

export default function (eleventyConfig) {
  eleventyConfig.addAsyncShortcode('photo', async function (path, alt) {
    const set = compressSet(path, {
      widths: [320, 640, 1280],
      format: 'webp,same',
      placeholder: 'colour',
      alt,
    });
    await mkdir('_site', { recursive: true });
    for await (const { name, bytes } of set) await writeFile(`_site/${name}`, bytes);
    return set.markup;
  });
}
