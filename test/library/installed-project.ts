import { mkdirSync, symlinkSync } from 'node:fs';
import { Folder, PROJECT, ROOT } from '../support/folders';
import { graphicPng } from '../support/images';

export const page = PROJECT.text('docs/library.md');
export const examples = [...page.matchAll(/^```js example=(\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, name, text]) => ({
    name,
    text,
  }),
);
export const sample = PROJECT.read('examples/sample.jpg');

export function project() {
  const place = new Folder();
  mkdirSync(place.path('node_modules/@types'), { recursive: true });
  symlinkSync(ROOT, place.path('node_modules/image-compression-service'));
  const others = [
    'image-minimizer-webpack-plugin',
    'webpack',
    'vite',
    'esbuild',
    'typescript',
    '@types/node',
  ];
  for (const name of others.map((one) => `node_modules/${one}`))
    symlinkSync(PROJECT.path(name), place.path(name));
  for (const name of ['web', 'src', 'public']) mkdirSync(place.path(name));
  place.put('photos/sample.jpg', sample);
  place.put('photos/drawing.png', graphicPng(300, 200));
  place.put('notes.txt', 'no image');
  place.put('stream.cjs', PROJECT.read('examples/stream.cjs'));
  for (const { name, text } of examples) place.put(name, text);
  return place;
}
