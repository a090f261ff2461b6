/** Colour chunks where Chromium ignores them are dropped, not moved to where they count. */
import { deflateSync } from 'node:zlib';
import { pngChunk } from '../../../../../src/compression/formats/png/png-chunks';
import { meaningfulColourChunks } from '../../../../../src/compression/formats/png/png-colour';
import { adobeRgb } from '../../../../support/icc-profiles';
import { cicpChunk, gamaChunk } from '../../../../file-kinds/png-parts';

const [header, palette, data] = ['IHDR', 'PLTE', 'IDAT'].map((type) => pngChunk(type, new Uint8Array(3)));
const cicp = cicpChunk(9, 16, 0, 1);
const srgb = pngChunk('sRGB', Buffer.of(0));
const gamma = gamaChunk(100_000);
const profile = (name: string) =>
  pngChunk('iCCP', Buffer.concat([Buffer.from(`${name}\0\0`, 'latin1'), deflateSync(adobeRgb())]));
const [named, longNamed] = [profile('n'.repeat(79)), profile('n'.repeat(80))];

it.each([
  ['cICP before the palette', [header, cicp, palette, data], [cicp]],
  ['cICP alone where sRGB is beside it', [header, cicp, srgb, data], [cicp]],
  ['cICP after the palette', [header, palette, cicp, data], []],
  ['cICP after the image data', [header, data, cicp], []],
  ['cICP twice', [header, cicp, palette, cicp, data], [cicp]],
  ['iCCP after the palette', [header, palette, named, data], [named]],
  ['iCCP after the image data', [header, data, named], []],
  ['iCCP with a name of 80 bytes', [header, longNamed, data], []],
  ['gAMA in place of such an iCCP', [header, longNamed, gamma, data], [gamma]],
])('%s', (_, chunks, kept) => {
  expect(meaningfulColourChunks(chunks)).toEqual(kept);
});
