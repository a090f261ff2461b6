/** Requirements of the AVIF and WebP codecs of engines that the conformance kit does not check. */
import sharp from 'sharp';
import { listResultFormats } from '../../../src/compression/application/formats';
import { loadEngine } from '../../../src/compression/infrastructure/codecs/engines';
import { codingsOf } from '../../conformance/format-checks';
import { adobeRgb } from '../../support/icc-profiles';
import { difference, noise, photoPixels, pixelsOf } from '../../support/images';

const EXIF = Buffer.from('49492a0008000000010098820200050000001a000000000000004c204100', 'hex');
const XMP = Buffer.from('<x:xmpmeta xmlns:x="adobe:ns:meta/"><!-- odd --></x:xmpmeta>');

describe.each(['native', 'squoosh'])('the engine %s', (name) => {
  it('writes metadata that libvips reads as they were', async () => {
    const icc = Buffer.from(adobeRgb());
    const images = [photoPixels(200, 120), noise(50, 33, 4, 5), pixelsOf(40, 40, 1, (i) => i % 256)];
    for (const format of listResultFormats(await loadEngine(name)).slice(2)) {
      for (const { encode } of codingsOf(format)) {
        for (const image of images) {
          const plain = await format.decode(await encode(image), image);
          for (const metadata of [{ icc, exif: EXIF, xmp: XMP }, { icc }, { exif: EXIF }, { xmp: XMP }, {}]) {
            const file = await encode(image, { metadata });
            expect(difference(plain, await format.decode(file, image))).toBe(0);
            const read = await sharp(file).metadata();
            expect(read.icc).toEqual('icc' in metadata ? icc : undefined);
            expect(withoutPrefix(read.exif)).toEqual('exif' in metadata ? EXIF : undefined);
            expect(read.xmp).toEqual('xmp' in metadata ? XMP : undefined);
          }
        }
      }
    }
  });
});

/** libvips adds the prefix of JPEG to EXIF. */
function withoutPrefix(exif: Buffer | undefined): Buffer | undefined {
  return exif?.subarray(0, 6).toString('latin1') === 'Exif\0\0' ? exif.subarray(6) : exif;
}
