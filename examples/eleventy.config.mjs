/** A shortcode for Eleventy that writes an image in several sizes to /images: {% photo "photos/sample.jpg", "A lake" %} */
import { mkdir, writeFile } from 'node:fs/promises';
import { compressSet } from 'image-compression-service';

export default function (eleventyConfig) {
  eleventyConfig.addAsyncShortcode('photo', async function (path, alt) {
    // Images of the same name in two folders are two images.
    const name = path.replace(/\.\w+$/, '').replaceAll('/', '-');
    const set = compressSet(path, {
      widths: [320, 640, 1280],
      format: 'webp,same',
      placeholder: 'colour',
      name,
      alt,
    });
    await mkdir('_site/images', { recursive: true });
    for await (const file of set) await writeFile(`_site/images/${file.name}`, file.bytes);
    // Pages have folders of their own, so the addresses start at the root.
    const url = encodeURIComponent(name);
    return (await set.markup).replaceAll(`${url}-`, `/images/${url}-`);
  });
}
