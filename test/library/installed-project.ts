import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, temporaryFolder } from '../support/folders';
import { graphicPng } from '../support/images';

export const page = readFileSync(join(ROOT, 'docs', 'library.md'), 'utf8');
export const examples = [...page.matchAll(/^```js example=(\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, name, text]) => ({
    name,
    text,
  }),
);
export const sample = readFileSync(join(ROOT, 'examples', 'sample.jpg'));

export function project() {
  const folder = temporaryFolder();
  for (const name of [
    'image-compression-service',
    'image-minimizer-webpack-plugin',
    'webpack',
    'vite',
    'esbuild',
    'typescript',
    '@types/node',
  ]) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(name === 'image-compression-service' ? ROOT : join(ROOT, 'node_modules', name), link);
  }
  for (const name of ['photos', 'web', 'src', 'public']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'photos', 'sample.jpg'), sample);
  writeFileSync(join(folder, 'photos', 'drawing.png'), graphicPng(300, 200));
  writeFileSync(join(folder, 'notes.txt'), 'no image');
  copyFileSync(join(ROOT, 'examples', 'stream.cjs'), join(folder, 'stream.cjs'));
  for (const { name, text } of examples) writeFileSync(join(folder, name), text);
  return folder;
}
export function node(folder: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    timeout: 380_000,
  });
  return { status, stdout, stderr };
}
