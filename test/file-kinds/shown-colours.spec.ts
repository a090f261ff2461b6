/** Chromium shows a file and its results alike, whatever describes the colours: all kinds are drawn on one canvas. */
import { PNG } from 'pngjs';
import sharp from 'sharp';
import { jpegWithBlocks } from '../../src/compression/formats/jpeg/metadata/jpeg-blocks';
import { pngChunk, type PngChunk } from '../../src/compression/formats/png/png-chunks';
import { withChunks } from '../../src/compression/formats/png/png-metadata';
import { describeInBrowser, openBrowser } from '../support/browser';
import {
  adobeRgb,
  greyOfGamma,
  greyToLightness,
  linearNaming,
  linearRgb,
  lookupTable,
  otherLookupTable,
} from '../support/icc-profiles';
import { withEveryEngine, type Compress } from './engines';
import { chrmChunk, CHROMATICITIES, cicpChunk, gamaChunk, iccpChunk } from './png-parts';

const PATCH_PX = 32;
const COLOURS = [10, 30, 60, 110, 160, 220]
  .map((v) => [v, v, v])
  .concat([
    [190, 60, 50],
    [70, 160, 80],
  ]);
/** Most that a lossy coding changes the middle of a patch by. */
const LOSS = 8;
/** Results of 8 bits are rounded. */
const ROUNDING = 2;

function patches() {
  const png = new PNG({ width: COLOURS.length * PATCH_PX, height: PATCH_PX });
  for (let i = 0; i < png.width * PATCH_PX; i++) {
    png.data.set([...COLOURS[Math.floor((i % png.width) / PATCH_PX)], 255], i * 4);
  }
  return PNG.sync.write(png, { colorType: 2 });
}
const grey = () => sharp(patches()).toColourspace('b-w');
const greyJpeg = async (icc: Buffer) =>
  jpegWithBlocks(await grey().jpeg({ quality: 98 }).toBuffer(), { icc });
const colourJpeg = async (icc: Buffer) =>
  jpegWithBlocks(await sharp(patches()).jpeg({ quality: 98, chromaSubsampling: '4:4:4' }).toBuffer(), {
    icc,
  });
const png = (...chunks: PngChunk[]) => Promise.resolve(withChunks(patches(), chunks));
const { srgb, rounded, p3 } = CHROMATICITIES;
const unreadable = iccpChunk(Buffer.alloc(200, 3));

type Kinds = Readonly<Record<string, () => Promise<Uint8Array>>>;

/** Files whose samples Chromium shows as those of sRGB. */
const PLAIN: Kinds = {
  'cHRM as rounded by Photoshop': () => png(chrmChunk(rounded)),
  'cHRM of other primaries alone': () => png(chrmChunk(p3)),
  'gAMA 0.45 alone': () => png(gamaChunk(45_000)),
  'gAMA under sRGB': () => png(pngChunk('sRGB', Buffer.of(0)), gamaChunk(100_000)),
  'a PNG with a grey profile for RGB': () => png(iccpChunk(greyOfGamma(1.8))),
  'a grey JPEG with a profile to lightness': () => greyJpeg(greyToLightness(1)),
  'a JPEG with a damaged profile': () => {
    const profile = adobeRgb();
    profile.write('none', profile.lastIndexOf('curv'), 'latin1');
    return colourJpeg(profile);
  },
};
const OTHERS: Kinds = {
  'gAMA with cHRM of sRGB': () => png(gamaChunk(45_455), chrmChunk(srgb)),
  'gAMA with other primaries': () => png(gamaChunk(45_455), chrmChunk(p3)),
  'gAMA 0.35': () => png(gamaChunk(35_000)),
  'gAMA 2.5': () => png(gamaChunk(250_000)),
  'linear light of other primaries': () => png(gamaChunk(100_000), chrmChunk(p3)),
  'linear light in 16 bits': async () =>
    withChunks(await sharp(patches()).toColourspace('rgb16').png().toBuffer(), [gamaChunk(100_000)]),
  'gAMA beside an unreadable profile': () => png(unreadable, gamaChunk(100_000)),
  'cICP of Display P3': () => png(cicpChunk(12, 13, 0, 1)),
  'cICP of video': () => png(cicpChunk(1, 1, 0, 1)),
  'a PNG with a linear profile': () => png(iccpChunk(linearRgb())),
  'a grey PNG with a profile': async () =>
    withChunks(await grey().png().toBuffer(), [iccpChunk(greyOfGamma(1.8))]),
  'a grey JPEG with a profile': () => greyJpeg(greyOfGamma(1.8)),
  'a grey PNG with a profile to lightness': async () =>
    withChunks(await grey().png().toBuffer(), [iccpChunk(greyToLightness(1)), gamaChunk(100_000)]),
  'a grey JPEG in linear light': () => greyJpeg(greyOfGamma(1)),
  'a grey JPEG with a profile for RGB': () => greyJpeg(adobeRgb()),
  'a JPEG in linear light': () => colourJpeg(linearRgb()),
  'a JPEG with lookup tables': () => colourJpeg(lookupTable()),
  'a JPEG with a lookup table for another intent': () => colourJpeg(otherLookupTable()),
  'a JPEG in PQ, with a curve for other viewers': () => colourJpeg(linearNaming(16)),
  'a PNG with lookup tables': () => png(iccpChunk(lookupTable())),
  'CMYK without a profile': () => sharp(patches()).toColourspace('cmyk').jpeg({ quality: 98 }).toBuffer(),
};
const kinds = { ...PLAIN, ...OTHERS };
/** Colours are not the work of the engines, but for CMYK; the portable ones are slow. */
const TARGETS = { native: ['same', 'jpeg', 'png', 'webp', 'avif'], squoosh: ['same', 'webp'] };

/** Draws images, and returns the colours in the middle of their patches. */
const DRAW = `(urls) => Promise.all(urls.map(async (url) => {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const side = canvas.height;
  return Array.from({ length: canvas.width / side }, (_, i) =>
    [...context.getImageData(i * side + side / 2, side / 2, 1, 1).data.slice(0, 3)]);
}))`;

const apart = (a: number[][], b: number[][]) =>
  Math.max(...a.flatMap((colour, i) => colour.map((sample, c) => Math.abs(sample - b[i][c]))));
const isGrey = ([r, g, b]: number[]) => r === g && g === b;

interface Result {
  readonly name: string;
  readonly isExact: boolean;
  readonly bytes: Uint8Array;
}

async function resultsOf(source: Uint8Array, compress: Compress, targets: string[]) {
  const results: Result[] = [];
  for (const FORMAT of targets) {
    const { bytes, report } = await compress(source, { FORMAT });
    results.push({ name: FORMAT, isExact: report.score === 1, bytes });
  }
  // A scaled JPEG in linear light is converted, as CMYK is.
  const { bytes } = await compress(source, { MAX_DIMENSION_PX: String((COLOURS.length * PATCH_PX) / 2) });
  return [...results, { name: 'scaled', isExact: false, bytes }];
}

describeInBrowser('in Chromium', () => {
  withEveryEngine((compress, engine) => {
    it('every kind looks the same before and after, in every format', async () => {
      const files: { readonly kind: string; readonly result: Result }[] = [];
      for (const [kind, make] of Object.entries(kinds)) {
        const source = await make();
        files.push({ kind, result: { name: 'upload', isExact: true, bytes: source } });
        for (const result of await resultsOf(source, compress, TARGETS[engine])) files.push({ kind, result });
      }
      const browser = await openBrowser();
      try {
        const page = await browser.newPage();
        const urls = files.map(
          ({ result }) => `data:image/*;base64,${Buffer.from(result.bytes).toString('base64')}`,
        );
        const shown = await page.evaluate<number[][][]>(`(${DRAW})(${JSON.stringify(urls)})`);
        const uploads = new Map(
          files.map(({ kind }) => [kind, shown[files.findIndex((f) => f.kind === kind)]]),
        );
        const isPlain = Object.keys(kinds).map((kind) => {
          const upload = uploads.get(kind)!;
          const patches = COLOURS.filter((colour) => isGrey(colour) || !upload.every(isGrey));
          return [kind, apart(patches, upload) <= ROUNDING];
        });
        expect(isPlain).toEqual(Object.keys(kinds).map((kind) => [kind, kind in PLAIN]));
        const wrong = files.flatMap(({ kind, result: { name, isExact } }, i) => {
          const difference = apart(uploads.get(kind)!, shown[i]);
          return difference > (isExact ? ROUNDING : LOSS) ? [`${kind}, ${name}: ${difference}`] : [];
        });
        expect(wrong).toEqual([]);
      } finally {
        await browser.close();
      }
    });
  });
});
