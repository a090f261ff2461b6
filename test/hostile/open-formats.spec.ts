/** Danger: a file reaches the parser of a format that the service does not take, such as SVG or TIFF. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { temporaryFolder } from '../support/folders';
import { graphicPng } from '../support/images';

// eslint-disable-next-line @typescript-eslint/no-require-imports
const library = require('../../dist/library/index.js') as typeof import('../../src/library/index');

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="5" height="5"/></svg>';
const picture = () => sharp({ create: { width: 32, height: 32, channels: 3, background: 'teal' } });

/** Samples of all formats, each of which sharp reads here, where nothing is blocked. */
async function samples(): Promise<Record<string, string>> {
  const found: Record<string, Buffer> = { svg: Buffer.from(SVG) };
  for (const format of ['jpeg', 'png', 'webp', 'avif', 'tiff', 'gif'] as const)
    found[format] = await picture().toFormat(format).toBuffer();
  for (const bytes of Object.values(found)) await sharp(bytes).stats();
  return Object.fromEntries(Object.entries(found).map(([name, bytes]) => [name, bytes.toString('base64')]));
}

/** A module whose encoder returns which samples libvips loads and saves in its worker, from memory and from files. */
const moduleText = (texts: Record<string, string>, folder: string) => `
  const sharp = require(${JSON.stringify(require.resolve('sharp'))});
  const { writeFileSync } = require('node:fs');
  const { join } = require('node:path');
  const does = (work) => work().then(() => true, () => false);
  let pixels;
  async function encodeLosslessly(given) {
    pixels = given;
    const open = { load: [], loadFile: [], save: [], saveFile: [] };
    for (const [name, text] of Object.entries(${JSON.stringify(texts)})) {
      const bytes = Buffer.from(text, 'base64');
      const file = join(${JSON.stringify(folder)}, 'sample.' + name);
      writeFileSync(file, bytes);
      const drawn = () => sharp({ create: { width: 8, height: 8, channels: 3, background: 'teal' } });
      if (await does(() => sharp(bytes).stats())) open.load.push(name);
      if (await does(() => sharp(file).stats())) open.loadFile.push(name);
      if (await does(async () => drawn().toFormat(name).toBuffer())) open.save.push(name);
      if (await does(async () => drawn().toFormat(name).toFile(file))) open.saveFile.push(name);
    }
    return Buffer.from(JSON.stringify(open));
  }
  exports.format = { encodeLosslessly, decode: () => Promise.resolve(pixels) };`;
const MANIFEST = {
  apiVersion: 1,
  format: { name: 'open', label: 'Open', mediaType: 'image/x-open', extensions: ['open'], hasAlpha: true },
};

it('workers load and save JPEG, PNG, WebP and AVIF in memory, and nothing else', async () => {
  const folder = temporaryFolder();
  const formatModules = join(folder, 'open.cjs');
  writeFileSync(formatModules, moduleText(await samples(), folder));
  writeFileSync(join(folder, 'open.json'), JSON.stringify(MANIFEST));
  const compressor = new library.Compressor({ workers: 1, formatModules });
  const { bytes } = await compressor.compress(graphicPng(16, 16), { format: 'open' });
  compressor.close();
  const inMemory = ['jpeg', 'png', 'webp', 'avif'];
  expect(JSON.parse(Buffer.from(bytes).toString())).toEqual({
    load: inMemory,
    loadFile: [],
    save: inMemory,
    saveFile: [],
  });
});
