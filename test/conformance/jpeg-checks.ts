/** Requirements for the JPEG codec of an engine. jpeg-js decodes independently; images are compared by similarity. */
import assert from 'node:assert/strict';
import jpegJs from 'jpeg-js';
import type {
  CodecEngine,
  JpegCodec,
  JpegDecodeOptions,
} from '../../src/compression/application/codecs.port';
import { asRgba, type ChromaSubsampling, type Pixels } from '../../src/compression/domain/pixels';
import { readJpegFrame, readLumaSteps } from '../../src/compression/formats/jpeg/jpeg-structure';
import { difference, noise, photoPixels, pixelsOf, turned } from '../support/images';
import { withMetadata } from '../support/jpeg-metadata';
import {
  CHANNELS,
  equal,
  ORIENTATIONS,
  refuses,
  SIZES,
  sizeOf,
  staySame,
  type Checks,
  type Steps,
} from './checks';

const CHROMA: readonly ChromaSubsampling[] = ['4:2:0', '4:4:4'];
const photo = photoPixels(200, 120);
const grey = pixelsOf(72, 56, 1, (i) => i % 201);

function jpegOf(pixels: Pixels): Uint8Array {
  const { width, height, data } = asRgba(pixels);
  return jpegJs.encode({ width, height, data: Buffer.from(data) }, 92).data;
}

export function decodeJpeg(codec: JpegCodec, jpeg: Uint8Array, options: Partial<JpegDecodeOptions> = {}) {
  const header = options.header ?? readJpegFrame(jpeg);
  return codec.decode(jpeg, { orientation: 1, ...options, header });
}

export const JPEG_CHECKS: Checks<CodecEngine> = {
  'JPEG: an encoded image looks the same, by the engine and by another decoder': async ({ jpeg }) => {
    for (const chroma of CHROMA) {
      for (const purpose of ['trial', 'delivery'] as const) {
        const encoded = await jpeg.encode(photo, { quality: 92, chroma, purpose });
        const decoded = await decodeJpeg(jpeg, encoded, { toEncode: true });
        assert.equal(decoded.channels, 4);
        assert.ok(difference(photo, decoded) < 7, `${chroma} for ${purpose}, own decoder`);
        assert.ok(difference(photo, encoded) < 9, `${chroma} for ${purpose}, jpeg-js`);
      }
    }
  },
  'JPEG: 4:2:0 has half the chroma resolution, 4:4:4 all of it': async ({ jpeg }) => {
    const stripes = pixelsOf(64, 64, 3, (i) => [20, 20, 230, 230, 20, 20][i % 6]);
    const loss = async (chroma: ChromaSubsampling) => {
      const encoded = await jpeg.encode(stripes, { quality: 95, chroma, purpose: 'delivery' });
      return difference(stripes, await decodeJpeg(jpeg, encoded));
    };
    assert.ok((await loss('4:2:0')) > 40);
    assert.ok((await loss('4:4:4')) < 15);
  },
  'JPEG: a trial shows the same image as a file for delivery': async ({ jpeg }) => {
    const shown = async (purpose: 'trial' | 'delivery') =>
      decodeJpeg(jpeg, await jpeg.encode(photo, { quality: 75, chroma: '4:2:0', purpose }));
    assert.ok(difference(await shown('trial'), await shown('delivery')) < 1.5);
  },
  'JPEG: trials are decoded to nearly the same samples as files; grey stays grey': async ({ jpeg }) => {
    for (const chroma of CHROMA) {
      for (const pixels of [photo, grey]) {
        const encoded = await jpeg.encode(pixels, { quality: 75, chroma, purpose: 'trial' });
        const decoded = await decodeJpeg(jpeg, encoded);
        const what = `${chroma}, ${pixels.channels} channels`;
        if (pixels === grey) assert.equal(decoded.channels, 1, what);
        assert.ok(difference(await jpeg.decodeTrial(encoded, pixels), decoded) < 1, what);
      }
    }
  },
  'JPEG: RGB and RGBA give the same bytes; alpha is ignored': async ({ jpeg }) => {
    const options = { quality: 80, chroma: '4:2:0', purpose: 'delivery' } as const;
    const data = asRgba(photo).data.map((value, i) => (i % 4 === 3 ? i % 256 : value));
    equal(await jpeg.encode({ ...photo, channels: 4, data }, options), await jpeg.encode(photo, options));
  },
  'JPEG: a lossless rewrite has equal pixels and is no larger, or is undefined': async ({ jpeg }) => {
    const source = jpegOf(photo);
    const recoded = await jpeg.recodeLosslessly(source);
    if (!recoded) return;
    assert.ok(recoded.length <= source.length);
    assert.equal(difference(source, recoded), 0);
  },
  'JPEG: garbage and truncated files are refused, and the next file is decoded': async ({ jpeg }) => {
    const good = jpegOf(photo);
    const { data } = noise(3000, 1, 1, 3);
    const header = readJpegFrame(good);
    await refuses(() => decodeJpeg(jpeg, data, { header }), 'noise');
    await refuses(() => decodeJpeg(jpeg, good.subarray(0, good.length / 2)), 'half a file');
    const headless = Buffer.concat([good.subarray(0, 20), data]);
    await refuses(() => decodeJpeg(jpeg, headless, { header }), 'no picture');
    assert.deepEqual(sizeOf(await decodeJpeg(jpeg, good)), sizeOf(photo));
  },
  'JPEG: what reads a file does not change it': async ({ jpeg }) => {
    const file = jpegOf(photo);
    const before = Buffer.from(file);
    await decodeJpeg(jpeg, file, { orientation: 6 });
    await jpeg.recodeLosslessly(file);
    equal(file, before);
  },
  'JPEG: all eight orientations come out upright, regardless of the one in the file': async ({ jpeg }) => {
    const plain = jpegOf(photo);
    const stored = asRgba(await decodeJpeg(jpeg, plain));
    for (const orientation of ORIENTATIONS) {
      for (const file of [plain, withMetadata(plain, { orientation: 6 })]) {
        const decoded = await decodeJpeg(jpeg, file, { orientation });
        assert.ok(difference(turned(stored, orientation), decoded) < 0.5, `orientation ${orientation}`);
      }
    }
  },
  'JPEG: samples stay as stored, regardless of the colour profile': async ({ jpeg }) => {
    const plain = jpegOf(photo);
    const withProfile = withMetadata(plain, { iccProfile: Buffer.alloc(400, 7) });
    assert.equal(difference(await decodeJpeg(jpeg, plain), await decodeJpeg(jpeg, withProfile)), 0);
  },
  'JPEG: is scaled to the size that is asked for, while decoding and afterwards': async ({ jpeg }) => {
    const mean = ({ data }: Pixels) => data.reduce((a, b) => a + b, 0) / data.length;
    const size = { width: 37, height: 61 };
    const upright = await decodeJpeg(jpeg, jpegOf(photo), { orientation: 6, size });
    assert.deepEqual(sizeOf(upright), [37, 61]);
    assert.ok(Math.abs(mean(asRgba(upright)) - mean(asRgba(photo))) < 4);
    for (const toEncode of [true, false]) {
      const small = { width: 50, height: 30 };
      const whole = await decodeJpeg(jpeg, jpegOf(photo), { toEncode });
      const scaled = await jpeg.scale(whole, small);
      assert.equal(scaled.channels, whole.channels);
      assert.equal(scaled.data.length, 50 * 30 * whole.channels);
      assert.ok(difference(scaled, await decodeJpeg(jpeg, jpegOf(photo), { toEncode, size: small })) < 4);
    }
  },
  'JPEG: writes the quantization steps that it names; they never grow with quality': async ({ jpeg }) => {
    for (const chroma of CHROMA) {
      let coarser: readonly number[] = Array<number>(64).fill(255);
      for (const quality of [10, 40, 60, 80, 95, 100]) {
        const steps = jpeg.lumaSteps(quality, chroma);
        const written = readLumaSteps(await jpeg.encode(photo, { quality, chroma, purpose: 'delivery' }));
        // The low frequencies, which contain nearly all of a photo; encoders clamp the highest ones differently.
        assert.deepEqual(steps.slice(0, 21), written?.slice(0, 21), `quality ${quality}, ${chroma}`);
        assert.ok(steps.every((step, i) => step <= coarser[i]));
        coarser = steps;
      }
    }
  },
  'JPEG: restores a former coding at next to no loss, or returns undefined': async ({ jpeg }) => {
    for (const family of ['standard', 'mozjpeg', 'engine'] as const) {
      const former = { family, quality: 70, chroma: '4:4:4' } as const;
      const first = await jpeg.encodeWithFormerTables(photo, former);
      if (!first) continue;
      const decoded = await decodeJpeg(jpeg, first);
      const again = (await jpeg.encodeWithFormerTables(decoded, former)) ?? assert.fail('offered once only');
      assert.deepEqual(readLumaSteps(again), readLumaSteps(first));
      const loss = difference(decoded, await decodeJpeg(jpeg, again));
      assert.ok(loss < difference(photo, decoded) / 4, `${family}: ${loss}`);
    }
  },
  'JPEG: a result does not depend on earlier images': async (engine) => {
    const { jpeg } = engine;
    const steps: Steps = {};
    for (const [width, height] of SIZES) {
      for (const channels of CHANNELS) {
        const image = noise(width, height, channels, 9);
        const what = `${width} x ${height}, ${channels} channels`;
        for (const chroma of CHROMA) {
          for (const purpose of ['trial', 'delivery'] as const)
            steps[`${what}, ${chroma} for ${purpose}`] = () =>
              jpeg.encode(image, { quality: 80, chroma, purpose });
        }
        steps[`${what}, former tables`] = () =>
          jpeg.encodeWithFormerTables(image, { family: 'engine', quality: 80, chroma: '4:2:0' });
      }
    }
    await staySame(steps, engine, (other) =>
      jpeg.encode(other, { quality: 90, chroma: '4:4:4', purpose: 'delivery' }),
    );
  },
};
