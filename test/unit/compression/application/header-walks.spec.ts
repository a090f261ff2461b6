/** The header of a JPEG is read once before it is decoded: what is known is handed on. */
import { compressImage } from '../../../../src/compression/application/recipe';
import { readAcceptedHeader } from '../../../../src/compression/formats/image-header';
import { createNativeEngine } from '../../../../src/compression/infrastructure/codecs/native/native-engine';
import { policy } from '../../../support/default-policy';
import { photoJpeg } from '../../../support/images';

/** Returns the file, and how often the marker of its frame header has been looked at. */
function watched(jpeg: Buffer): { readonly bytes: Buffer; readonly walks: () => number } {
  const frame = jpeg.indexOf(Buffer.of(0xff, 0xc0)) + 1;
  let looks = 0;
  const bytes = new Proxy(jpeg, {
    get(target, name) {
      if (name === String(frame)) looks++;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { bytes, walks: () => looks };
}

/** A walk looks at a marker this often: to find it, to name it, to measure its segment, and to copy its payload. */
const looksOfOneWalk = async () => {
  const { bytes, walks } = watched(await photoJpeg(64, 48));
  readAcceptedHeader(bytes, 1e9);
  return walks();
};

it('the worker walks over the segments once before the first decode', async () => {
  const { bytes, walks } = watched(await photoJpeg(64, 48));
  const engine = createNativeEngine();
  let before = 0;
  engine.jpeg.decode = () => {
    before = walks();
    throw new Error('enough');
  };
  await expect(compressImage(bytes, engine, policy)).rejects.toThrow('enough');
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThanOrEqual(await looksOfOneWalk());
});
