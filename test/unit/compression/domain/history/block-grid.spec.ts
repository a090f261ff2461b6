import { readJpegFrame } from '../../../../../src/compression/formats/jpeg/jpeg-structure';
import sharp from 'sharp';
import { offGridOrigin, blockOrigin } from '../../../../../src/compression/domain/search/mosaic';
import type { Orientation } from '../../../../../src/compression/domain/dimensions';
import { crop } from '../../../../../src/compression/domain/pixels';
import { createNativeEngine } from '../../../../../src/compression/infrastructure/codecs/native/native-engine';
import { withMetadata } from '../../../../support/jpeg-metadata';

const engine = createNativeEngine();
/** Neither side is a multiple of 8. */
const [WIDTH, HEIGHT] = [29, 19];

/** Blocks of one shade each, no two neighbours alike. */
async function chequered(orientation: Orientation) {
  const shade = (i: number) => ((((i % WIDTH) >> 3) + (Math.floor(i / WIDTH) >> 3)) % 2 ? 40 : 210);
  const data = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => shade(i));
  const jpeg = await sharp(data, { raw: { width: WIDTH, height: HEIGHT, channels: 1 } })
    .toColourspace('b-w')
    .jpeg({ quality: 100 })
    .toBuffer();
  return withMetadata(jpeg, { orientation });
}
const spread = (samples: Uint8Array) => Math.max(...samples) - Math.min(...samples);

it.each([1, 2, 3, 4, 5, 6, 7, 8] as const)(
  'finds a whole block where orientation %i has put it',
  async (orientation) => {
    const upright = await engine.jpeg.decode(await chequered(orientation), {
      header: readJpegFrame(await chequered(orientation)),
      orientation,
    });
    const origin = blockOrigin(upright, orientation);
    expect(spread(crop(upright, origin, { width: 8, height: 8 }).data)).toBeLessThan(8);
    const across = offGridOrigin(origin);
    const around = crop(upright, across, { width: 8, height: 8 });
    expect(spread(around.data)).toBeGreaterThan(150);
    // Farthest from the grid: block edges cross its middle.
    expect([Math.abs(across.left - origin.left), Math.abs(across.top - origin.top)]).toEqual([4, 4]);
  },
);
